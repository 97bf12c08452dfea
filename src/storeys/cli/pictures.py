"""Drawing records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

import storeys
from storeys.cli.common import Lang, Speech, app, progress, speak, write_file
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message

WIDTH_OF_AN_ANIMATION = 960
STILLS, MOVING = (".svg", ".png"), (".gif", ".webp")
Out = Annotated[Path | None, typer.Option("--out", "-o", help="a picture: FILE.svg or FILE.png")]
Animate = Annotated[Path | None, typer.Option(help="all moves up to there: FILE.gif or FILE.webp")]


@app.command()
def draw(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="a record file")],
    out: Out = None,
    animate: Animate = None,
    ply: Annotated[int | None, typer.Option(help="the match after so many moves")] = None,
    seat: Annotated[int | None, typer.Option(help="what this seat could see")] = None,
    view: Annotated[str, typer.Option(help="plan or skyline")] = "plan",
    turn: Annotated[int, typer.Option(help="quarter turns around the city")] = 0,
    theme: Annotated[str, typer.Option(help="light, dark or colour-blind")] = "light",
    width: Annotated[int | None, typer.Option(min=16, max=8000, help="pixels across")] = None,
    lang: Lang = "en",
) -> None:
    """Draw a position of a record, or the match up to there as an animation."""
    speak(lang)
    if out is None and animate is None:
        raise BadOption(Message("storeys.picture.where"))
    match = storeys.load(record)
    if ply is not None:
        match = match.at(ply)

    def picture(shown: storeys.Match) -> str:
        return shown.svg(seat, view=view, turn=turn, theme=theme, lang=Speech.lang)

    if out is not None:
        _check_suffix(out, STILLS)
        svg = picture(match)
        write_file(lambda: _write_still(svg, out, width), out)
    if animate is not None:
        _check_suffix(animate, MOVING)
        svgs = [picture(match.at(made)) for made in range(match.moves_made + 1)]
        _write_animation(svgs, animate, width or WIDTH_OF_AN_ANIMATION)


def _check_suffix(file: Path, known: tuple[str, ...]) -> None:
    if file.suffix.lower() not in known:
        names = ", ".join(known)
        raise BadOption(Message("storeys.picture.suffix", path=str(file), known=names))


def _write_still(svg: str, file: Path, width: int | None) -> None:
    if file.suffix.lower() == ".svg":
        file.write_text(svg, "utf-8")
        return
    from storeys.raster import to_png

    file.write_bytes(to_png(svg, width))


def _write_animation(pictures: list[str], file: Path, width: int) -> None:
    from storeys.raster import save_animation

    with progress() as bar:
        task = bar.add_task(file.name, total=len(pictures))

        def ticking() -> Iterator[str]:
            for picture in pictures:
                yield picture
                bar.advance(task)

        write_file(lambda: save_animation(pictures, file, width, ticking()), file)
