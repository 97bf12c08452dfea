"""First steps: their data holds in every game, and a table follows them until somebody strays."""

import random
import re
import secrets
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import storeys
from storeys.kernel.errors import BadLesson
from storeys.kernel.helping import paragraphs_of
from storeys.kernel.lessons import Made, read_lesson
from storeys.kernel.messages import Message, languages
from storeys.registry import game_names, get_game
from storeys.testing import Trial, check_lesson
from storeys.web.errors import BadPost
from storeys.web.handlers import handle_event, play_for_bot
from storeys.web.helping import help_html, help_picture
from storeys.web.lessons import GENTLE, lesson_match, recorded_moves, stage_of
from storeys.web.seating import called
from storeys.web.states import StateQuery, state_of
from storeys.web.store import SeatFacts, Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from tests.posting import event_request, table_request

ADA, BEN = "a" * 64, "b" * 64


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(Store(f"sqlite:///{tmp_path / 'lessons.db'}"))


def first_steps(tables: Tables, game: str = "manhattan") -> Table:
    seats = [{"kind": "me", "name": "Ada"}]
    return tables.create(table_request(game=game, seats=seats, lesson=True), ADA)


def told(table: Table, owner: str = ADA) -> Any:
    return state_of(table, owner, StateQuery())["lesson"]


def do(tables: Tables, table: Table, move: str) -> None:
    shared = {"seq": table.seq, "id": secrets.token_hex(8), "kind": "move", "seat": 0}
    handle_event(tables, table, ADA, event_request(**shared, move=move))


def asked(table: Table) -> str:
    """The first of the moves that are waited for."""
    state = state_of(table, ADA, StateQuery())
    assert state["lesson"] is not None
    takes = state["lesson"]["takes"]
    assert takes is not None
    return state["choices"][takes[0]]["move"]


# --- the data of the games


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("seed", range(3))
def test_every_game_has_first_steps_that_lead_to_their_end(name: str, seed: int) -> None:
    lesson = get_game(name).lesson
    assert lesson is not None
    assert lesson.players == 2
    check_lesson(Trial(name, {}, random.Random(seed)))


@pytest.mark.parametrize("name", game_names())
def test_first_steps_say_everything_in_three_languages_and_say_it_shortly(name: str) -> None:
    lesson = get_game(name).lesson
    assert lesson is not None
    for step in lesson.steps:
        if step.say is None:
            continue
        said = {Message(f"{name}.lesson.{step.say}").text(lang) for lang in languages(name)}
        assert len(said) == 3, f"{step.say} is not translated"
        assert max(map(len, said)) < 260, f"{step.say} is more than a bubble holds"


@pytest.mark.parametrize("name", game_names())
def test_first_steps_call_the_bot_what_its_seat_is_called(name: str) -> None:
    lesson = get_game(name).lesson
    assert lesson is not None
    seat = SeatFacts(1, "bot", GENTLE, GENTLE)
    names = {lang: called(seat, lang) for lang in languages(name)}
    for step in lesson.steps:
        said = {lang: Message(f"{name}.lesson.{step.say}").text(lang) for lang in names if step.say}
        if any(bot in text.split() for bot in names.values() for text in map(bare, said.values())):
            for lang, text in said.items():
                assert names[lang] in bare(text).split(), f"{step.say} in {lang}: {names[lang]}"


def bare(text: str) -> str:
    """The words of a sentence without its signs."""
    return re.sub(r"[^\w\s]", " ", text)


@pytest.mark.parametrize("name", game_names())
def test_first_steps_take_a_whole_round(name: str) -> None:
    lesson = get_game(name).lesson
    assert lesson is not None
    match = lesson_match(name, ["Ada", "Bo"])
    rng = random.Random(1)
    while (stage := stage_of(match)) and stage.awaits:
        takes = [one for one in match.legal_moves if stage.awaits.takes(Made(one.kind, str(one)))]
        match.push(rng.choice(takes or match.legal_moves))
    assert match.round > 1
    assert match.to_move == 0


WORDS_A_SECOND = 4
"""How quickly a sentence is read by who reads at leisure."""
CLICKS_A_SECOND = 1
"""How quickly what is lit is found and clicked."""


def clicks_for(match: storeys.Match, move: storeys.Move) -> int:
    """A click for each pick that is not nothing, and one to confirm."""
    picks: dict[str, str] = match.choice(move)["picks"]
    return 1 + sum(value != "0" for key, value in picks.items() if key not in ("turn", "colour"))


@pytest.mark.parametrize("lang", ["en", "de", "nl"])
@pytest.mark.parametrize("name", game_names())
def test_a_first_round_takes_less_than_two_minutes(name: str, lang: str) -> None:
    """Counted, not timed: by what is to be read and clicked."""
    match, words, clicks = lesson_match(name, ["Ada", "Bo"]), 0, 0
    said: set[str | None] = {None}
    while (stage := stage_of(match)) and stage.awaits and match.round == 1:
        for step in stage.says:
            if step.say not in said:
                said.add(step.say)
                words += len(Message(f"{name}.lesson.{step.say}").text(lang).split())
                clicks += not step.is_made  # goes on by a button
        takes = [one for one in match.legal_moves if stage.awaits.takes(Made(one.kind, str(one)))]
        move = (takes or match.legal_moves)[0]
        clicks += clicks_for(match, move) if match.to_move == 0 else 0
        match.push(move)
    assert match.round == 2
    assert words / WORDS_A_SECOND + clicks / CLICKS_A_SECOND < 120, (words, clicks)


# --- the sections of the help


@pytest.mark.parametrize("name", game_names())
def test_every_rule_leads_to_a_section_of_the_help_in_every_language(name: str) -> None:
    game = get_game(name)
    rules = Path(__file__).parent.parent / "docs" / "rules" / f"{name}.md"
    ids = re.findall(r"^- \*\*([A-Z]-R?\d+)\*\*", rules.read_text("utf-8"), re.MULTILINE)
    phases = [phase for section in game.sections for phase in section.phases]
    assert sorted(phases) == sorted(game.phases), "each phase has its section"
    for lang in languages(name):
        shown = help_html(game, lang, "light", {})
        for rule in ids:
            assert shown.count(f'id="rule-{rule}"') == 1, f"{rule} is nowhere, or twice"
        paragraphs = paragraphs_of(game.help_text(lang))
        assert all(lead for lead, _ in paragraphs), "each paragraph is led by bold words"
        typed = dict(zip((one.id for one in game.sections), paragraphs, strict=True))["typing"][1]
        assert typed not in shown
        assert "turn 1" not in shown


@pytest.mark.parametrize("name", game_names())
def test_pictures_of_the_help_are_drawn(name: str) -> None:
    sections = get_game(name).sections
    drawn = [one.id for one in sections if one.picture is not None]
    assert len(drawn) >= 3
    for section in drawn:
        ElementTree.fromstring(str(help_picture(name, section, "dark", "de")))
    assert help_picture(name, "typing", "light", "en") is None


def test_a_game_whose_help_is_one_piece_has_anchors_for_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = get_game("manhattan")
    monkeypatch.setattr(game, "sections", ())
    monkeypatch.setattr(game, "help_text", lambda lang: "# R\n\n- **G-4** *Build*: lay it.")
    assert '<strong id="rule-G-4">G-4</strong>' in help_html(game, "en", "light", {})
    assert game.section_now("build") == "goal"


# --- at a table


def test_a_table_for_first_steps_is_dealt_as_they_say(tables: Tables) -> None:
    table = first_steps(tables)
    assert [(seat.kind, seat.name, seat.bot) for seat in table.seats] == [
        ("human", "Ada", None), ("bot", GENTLE, GENTLE),
    ]  # fmt: skip
    lesson = table.match.game.lesson
    assert lesson is not None
    assert table.match.seed == lesson.seed
    lesson = told(table)
    assert lesson["nth"] == 0
    assert [bubble["asks"] for bubble in lesson["bubbles"]] == [False, True]
    assert told(table, BEN) is None, "who only looks on is told nothing"
    assert (
        told(tables.create(table_request(game="manhattan", seats=[{"kind": "me"}] * 2), ADA))
        is None
    )


def test_progress_follows_from_the_moves_and_survives_a_restart(tables: Tables) -> None:
    table = first_steps(tables)
    do(tables, table, asked(table))
    after = told(table)
    assert after["nth"] == 1
    assert len(after["takes"]) > 1, "any move of the kind will do"
    assert told(Tables(tables.store).get(table.id)) == after
    seq = {"seq": table.seq, "id": secrets.token_hex(8), "kind": "take-back", "seat": 0}
    handle_event(tables, table, ADA, event_request(**seq))
    assert told(table)["nth"] == 0


def test_the_bot_does_what_is_recorded_and_later_as_it_likes(tables: Tables) -> None:
    table = first_steps(tables)
    for _ in range(2):
        do(tables, table, asked(table))
    recorded = recorded_moves(table.match)
    assert recorded == ("pick blue 1 2 3 4", "pick yellow 1 2 3 4")
    for move in recorded:
        assert play_for_bot(tables, table.id, table.seq, 1, move)
    assert recorded_moves(table.match) == ()
    assert told(table)["takes"] is not None


def test_whoever_strays_plays_an_ordinary_match(tables: Tables) -> None:
    table = first_steps(tables)
    other = next(str(move) for move in table.match.legal_moves if str(move) != asked(table))
    do(tables, table, other)
    assert told(table) is None
    assert recorded_moves(table.match) == ()
    assert state_of(table, ADA, StateQuery())["your_turn"]


def test_a_game_without_first_steps_has_none(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(get_game("manhattan"), "lesson", None)
    with pytest.raises(BadPost, match="Manhattan has no first steps"):
        first_steps(tables)
    assert stage_of(storeys.new("manhattan", players=2, seed=1)) is None


# --- files that are wrong


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("players = 2\nseed = 1\nsteps = [{}]", r"steps\[0\]: a step says something"),
        ('players = 2\nseed = 1\nsteps = [{move = "a", any = "b"}]', "asks for one move"),
        ('players = 2\nseed = 1\nsteps = [{say = "a", bot = "b"}]', "asks for one move"),
        ('players = 2\nseed = 1\nsteps = [{say = "a", light = ["moon"]}]', "“moon” cannot be lit"),
        ("players = 2\nsteps = []", "seed"),
        ("players = 2\nseed = 1\nsteps = []\nlevel = 1", "level"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_says_why(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "lesson.toml").write_text(text, "utf-8")
    with pytest.raises(BadLesson, match=why):
        read_lesson(tmp_path)


def test_a_stage_ends_where_the_steps_end() -> None:
    lesson = get_game("manhattan").lesson
    assert lesson is not None
    assert lesson.stage([Made("pick", "pick red 4 4 4 3")]) is None
    stage = lesson.stage([])
    assert stage is not None
    assert stage.of == sum(step.is_made and step.bot is None for step in lesson.steps)
