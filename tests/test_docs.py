"""What the docs say is so: code runs, notation is read, counts are counted."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

import storeys
from storeys.registry import get_game
from storeys.testing import perft
from tests.test_manhattan_rules import SITES_OF_CARDS

ROOT = Path(__file__).parent.parent
RULES = (ROOT / "docs" / "rules" / "manhattan.md").read_text("utf-8")
ALL_RULES = "\n".join(p.read_text("utf-8") for p in sorted((ROOT / "docs" / "rules").glob("*.md")))


def python_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


PAGES = ["README.md", "docs/python.md", "docs/kernel.md", "docs/envs.md", "docs/batch.md"]


@pytest.mark.parametrize("page", PAGES)
def test_code_in_the_docs_runs(page: str, tmp_path: Path) -> None:
    snippets = python_of(page)
    assert snippets
    script = tmp_path / "snippets.py"
    script.write_text("\n".join(snippets), "utf-8")
    runpy.run_path(str(script))


def short_examples() -> list[Path]:
    """All but those with tests of their own: some take minutes, one needs a server."""
    others = ("train_policy", "train_maskable_ppo", "http_bot", "arena_http_bot")
    return [p for p in sorted((ROOT / "examples").glob("*.py")) if p.stem not in others]


@pytest.mark.parametrize("file", short_examples(), ids=lambda f: f.stem)
def test_examples_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(file)])
    runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize("name", storeys.game_names())
def test_the_planes_are_documented(name: str) -> None:
    page, at = (ROOT / "docs" / "kernel.md").read_text("utf-8"), 0
    game = get_game(name)
    for plane in game.planes:
        shape = "×".join(map(str, plane.shape))
        row = f"| {at} | `{plane.name}` | {shape} | {plane.scale:g} | {plane.meaning} |"
        assert row in page
        at += plane.size
    assert f"has {at} numbers" in page


@pytest.mark.parametrize("name", storeys.game_names())
def test_notation_on_the_rules_page_is_read(name: str) -> None:
    match = storeys.new(name, seed=1)
    page = (ROOT / "docs" / "rules" / f"{name}.md").read_text("utf-8")
    kinds = {str(move).split()[0] for move in match.legal_moves} | {
        "build", "walkway", "skyscraper", "utility", "draw",
    }  # fmt: skip
    notations = re.findall(rf"`((?:{'|'.join(kinds)}) [^`]*)`", page, re.IGNORECASE)
    assert len(notations) >= 3
    for text in notations:
        match.parse_move(text)


@pytest.mark.parametrize("seat", range(4))
def test_the_table_of_cards_on_the_rules_page(seat: int) -> None:
    cells = " ".join(re.findall(rf"^\| seat {seat} \| (.*) \|$", RULES, re.MULTILINE)[-1:])
    assert cells.replace(" | ", " ") == SITES_OF_CARDS[seat]


@pytest.mark.parametrize("rule", ["C-20", "C-22", "C-31", "C-37"])
def test_what_no_rulebook_states_is_called_our_ruling(rule: str) -> None:
    found = re.search(
        rf"^- \*\*{rule}\*\* (.*?)(?=^- \*\*|^#)", ALL_RULES, re.MULTILINE | re.DOTALL
    )
    assert found is not None
    assert "*our ruling*" in " ".join(found[1].split())
    headings = {
        "en": "**Our rulings.**",
        "de": "**Unsere Festlegungen.**",
        "nl": "**Onze keuzes.**",
    }
    for lang, heading in headings.items():
        paragraphs = get_game("cloud-city").help_text(lang).split("\n\n")
        (ours,) = [text for text in paragraphs if text.startswith(heading)]
        assert f"({rule})" in ours


def perft_rows() -> list[tuple[str, int, list[int]]]:
    """The table of counts: a golden record, moves of it to make, and the counts by depth."""
    row = r"^\| (\S+-v\d+-\S+) \| (\d+) \| ([\d, |]+) \|$"
    rows = re.findall(row, ALL_RULES, re.MULTILINE)
    return [
        (record, int(made), [int(n.replace(",", "")) for n in counts.split("|")])
        for record, made, counts in rows
    ]


def test_there_are_counts_for_every_number_of_players() -> None:
    counted = {re.sub(r"-v\d+-(\d)-.*", r" \1", row[0]) for row in perft_rows()}
    assert counted == {f"{name} {n}" for name in storeys.game_names() for n in get_game(name).seats}


def test_there_are_counts_for_every_version_of_rules_that_can_be_played() -> None:
    counted = {re.sub(r"-v(\d+)-.*", r" \1", row[0]) for row in perft_rows()}
    games = map(get_game, storeys.game_names())
    assert counted == {
        f"{game.name} {version}"
        for game in games
        for version in range(game.oldest_rules, game.rules_version + 1)
    }


@pytest.mark.parametrize(("record", "made", "counts"), perft_rows())
def test_counts_of_move_sequences(record: str, made: int, counts: list[int]) -> None:
    file = ROOT / "tests" / "golden" / f"{record}.json"
    match = storeys.load(json.loads(file.read_text("utf-8"))["record"])
    while match.moves_made > made:
        match.pop()
    assert [perft(match, depth) for depth in range(1, len(counts) + 1)] == counts
