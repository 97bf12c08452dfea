"""Shapes read from a drawing: its colours are those of a theme, and what is wrong is named."""

from pathlib import Path

import pytest

from storeys import StoreysError
from storeys.kernel.drawing import shapes as reader
from storeys.kernel.drawing.shapes import FILE, shapes
from storeys.kernel.drawing.themes import DARK, LIGHT, THEMES, darker, ink_on, mixed
from storeys.registry import game_names, get_game

SHEET = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:e="urn:editor">{}</svg>'


def drawing(folder: Path, body: str) -> Path:
    """A folder with these shapes."""
    (folder / FILE).write_text(SHEET.replace("{}", body), "utf-8")
    return folder


def test_expressions_are_worked_out_in_each_theme(tmp_path: Path) -> None:
    body = '<rect fill="{ park }" stroke="{darker(mixed(panel, window_lit, 0.5), 0.2)}"/>'
    drawing(tmp_path, f'<g id="lawn">{body}</g>')
    for theme in THEMES.values():
        line = darker(mixed(theme.panel, theme["window-lit"], 0.5), 0.2)
        found = shapes(tmp_path, theme.name)["lawn"]
        assert found == f'<rect fill="{theme["park"]}" stroke="{line}"/>'


def test_layout_and_what_an_editor_notes_leave_no_trace(tmp_path: Path) -> None:
    """A byte more in a shape would be sent with every picture."""
    drawing(
        tmp_path,
        """<!-- a sheet --> <e:page/>
        <g transform="translate(9 9)"><g id="lawn" e:label="x">
            <circle r="1" e:seen="2"/> <e:note>n</e:note>
        </g></g>
        <g id="park">
            <use href="#lawn"/> <use href="#lawn" transform="scale(2)" e:lock="1"/>
            <g opacity="0.5">
                <path d="M0 0h1"/>
            </g>
        </g>""",
    )
    found = shapes(tmp_path, "light")
    used = '<circle r="1"/><g transform="scale(2)"><circle r="1"/></g>'
    assert found["park"] == used + '<g opacity="0.5"><path d="M0 0h1"/></g>'


def test_what_is_given_is_a_name_and_cannot_break_out(tmp_path: Path) -> None:
    drawing(tmp_path, '<g id="plate"><text fill="{ink_on(hue)}">{sign}</text></g>')
    found = shapes(tmp_path, "dark", hue="#102030", sign='<"&')
    assert found["plate"] == f'<text fill="{ink_on("#102030")}">&lt;&quot;&amp;</text>'


def test_numbers_are_worked_out_and_rounded(tmp_path: Path) -> None:
    path = "M{start + 2} {0 - top * 0.38}H{stop - start - 1.06}"
    drawing(tmp_path, f'<g id="bar"><path d="{path}"/></g>')
    found = shapes(tmp_path, "light", start=6.5, stop=36, top=-20.8)
    assert found["bar"] == '<path d="M8.5 7.9H28.4"/>'


def test_shapes_by_how_their_names_begin(tmp_path: Path) -> None:
    """In the order of the file; those that cannot be drawn with what is given are not asked for."""
    named = '<g id="{}"><circle r="1" fill="{}"/></g>'
    body = "".join(named.format(name, "#000") for name in ("roof-b", "tree", "roof-a", "birds"))
    drawing(tmp_path, body + named.format("plate", "{votes}"))
    assert list(shapes(tmp_path, "light").beginning("birds", "roof")) == [
        "roof-b",
        "roof-a",
        "birds",
    ]


def test_shapes_are_kept(tmp_path: Path) -> None:
    drawing(tmp_path, '<g id="dot"><circle r="1"/></g>')
    assert shapes(tmp_path, "light") is shapes(tmp_path, "light")
    assert shapes(tmp_path, "light")["dot"] is shapes(tmp_path, "light")["dot"]


@pytest.mark.parametrize(
    "expression",
    [
        "{parc}",  # no such colour
        "{darkr(park)}",  # no such function
        "{darker(park, 0.1, 2)}",  # too much
        "{mixed(park, 0.1, grass)}",  # in the wrong order
        "{darker(park}",
        "{}",
        "{park",  # no end
        "{park.upper()}",
        "{__import__('os')}",
        "{().__class__}",
        "{park if park else grass}",
        "{park + 1}",  # a colour is no number
        "{park + grass}",
        "{2 ** 9}",
    ],
)
def test_a_bad_expression_is_named_with_its_shape_and_file(tmp_path: Path, expression: str) -> None:
    drawing(tmp_path, f'<g id="lawn"><rect fill="{expression}"/></g><g id="dot"/>')
    with pytest.raises(StoreysError) as caught:
        shapes(tmp_path, "light")["lawn"]
    sentence = str(caught.value)
    shown = expression if expression.endswith("}") else "{"
    assert f"{tmp_path / FILE}, shape “lawn”: {shown} is no colour" in sentence
    assert "park, " in sentence
    assert "mixed(…)" in sentence
    assert shapes(tmp_path, "light")["dot"] == ""  # the others can still be drawn


def test_a_reader_that_takes_everything_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_value", lambda *_: "#ffffff")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_bad_expression_is_named_with_its_shape_and_file(tmp_path, "{__import__('os')}")


def test_a_missing_shape_is_named(tmp_path: Path) -> None:
    drawing(tmp_path, '<g id="lawn"/><g id="park"><use href="#lwan"/></g><g id="pond"><use/></g>')
    for asked, missing in (("tree", "tree"), ("park", "lwan"), ("pond", "")):
        with pytest.raises(StoreysError) as caught:
            shapes(tmp_path, "light")[asked]
        named = f"{tmp_path / FILE} has no shape “{missing}”; it has lawn, park, pond"
        assert str(caught.value) == named


@pytest.mark.parametrize("content", [None, "<svg>", ""])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content, "utf-8")
    with pytest.raises(StoreysError, match=f"{FILE} cannot be read: "):
        shapes(tmp_path, "light")["lawn"]


def test_no_colour_of_a_theme_is_written_into_a_drawing() -> None:
    """It would stay as it is when the theme changes."""
    files = [get_game(name).folder / FILE for name in game_names()]
    own = "".join(file.read_text("utf-8") for file in files if file.exists())
    for theme in (LIGHT, DARK):
        hues = [theme.paper, theme.panel, theme.ink, theme.quiet, theme.line, *theme.hues.values()]
        assert not [hue for hue in hues if hue in own]
