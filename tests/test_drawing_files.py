"""Pictures as files: `storeys draw`, PNG and animations."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

import storeys
from storeys.arena import playouts
from storeys.raster import save_animation, size_of, to_png
from tests.commands import run, shown, shown_by_process


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("draw") / "match.json"
    match = playouts("neoville", 1, players=2, seed=4).match(0)
    file.write_text(json.dumps(match.record()), "utf-8")
    return file


def test_a_picture_as_pixels() -> None:
    svg = storeys.new("neoville", players=2, seed=1).svg(0)
    png = Image.open(io.BytesIO(to_png(svg)))
    assert png.size == tuple(round(length) for length in size_of(svg))
    assert Image.open(io.BytesIO(to_png(svg, 300))).width == 300
    colours = png.convert("RGB").getcolors(1 << 20)
    assert colours is not None
    assert len(colours) > 200


def test_files_from_the_command_line(record: Path, tmp_path: Path) -> None:
    for name, given in (("a.svg", shown), ("b.png", shown_by_process)):
        file = tmp_path / name
        given("draw", str(record), "--ply", "20", "--view", "skyline", "-o", str(file))
        head = file.read_bytes()[:8]
        assert head.startswith(b"<svg " if name == "a.svg" else b"\x89PNG")


def test_an_animation(tmp_path: Path) -> None:
    match = playouts("neoville", 1, players=1, seed=4).match(0)
    pictures = [match.svg(None, ply=ply) for ply in (0, 9, match.moves_made)]
    for name in ("a.gif", "a.webp"):
        save_animation(pictures, tmp_path / name, 240)
        with Image.open(tmp_path / name) as film:
            assert getattr(film, "n_frames", 1) == 3
            assert film.width == 240


def test_an_animation_from_the_command_line(tmp_path: Path) -> None:
    start = storeys.new("neoville", players=2, seed=1)
    for _ in range(2):
        start.push(start.legal_moves[0])
    record = tmp_path / "short.json"
    record.write_text(json.dumps(start.record()), "utf-8")
    file = tmp_path / "short.gif"
    shown("draw", str(record), "--animate", str(file), "--width", "200")
    with Image.open(file) as film:
        assert getattr(film, "n_frames", 1) == 3
    shown("draw", str(record), "--animate", str(file), "--width", "200", "--ply", "1")
    with Image.open(file) as film:
        assert getattr(film, "n_frames", 1) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "storeys: say where the picture goes: --out FILE.svg or FILE.png"),
        (["-o", "a.bmp"], "storeys: a.bmp: the file must end in one of .svg, .png"),
        (["--animate", "a.mp4"], "storeys: a.mp4: the file must end in one of .gif, .webp"),
        (["-o", "a.svg", "--ply", "9999"], "storeys: the record has "),
        (["-o", "a.svg", "--view", "side"], "storeys: the option view cannot be “side”"),
        (["-o", "no/such/folder/a.svg"], "storeys: no/such/folder/a.svg cannot be written"),
    ],
)
def test_what_cannot_be_drawn(record: Path, words: list[str], sentence: str) -> None:
    child = run("draw", str(record), *words)
    assert child.returncode == 2
    assert child.stderr.startswith(sentence)
