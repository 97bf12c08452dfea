"""A match as an environment shows it: printed, as text, as SVG or as pixels."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from storeys.kernel.errors import BadOption, NotInstalled
from storeys.kernel.messages import Message
from storeys.kernel.reading import listing, short
from storeys.match import Match

RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
FRAMES_A_SECOND = 2
COLUMNS = 120
CANVAS = (960, 720)
"""Width and height of all pixel pictures, so that they make a film."""

Pixels = npt.NDArray[np.uint8]


def check_render_mode(mode: Any) -> str | None:
    """A way of rendering, or None."""
    if mode is not None and mode not in RENDER_MODES:
        known = listing(RENDER_MODES)
        raise BadOption(Message("storeys.envs.unknown-render", found=short(mode), known=known))
    chosen: str | None = mode
    return chosen


def render(match: Match, seat: int | None, mode: str) -> str | Pixels | None:
    """Show what a seat may see (None: a spectator); "human" prints it and gives nothing back."""
    if mode == "human":
        Console().print(match.board_text(seat), highlight=False)
        return None
    if mode == "ansi":
        return as_text(match, seat)
    svg = match.svg(seat, prefix="env")
    return svg if mode == "svg" else as_pixels(svg)


def as_text(match: Match, seat: int | None) -> str:
    """The board as the terminal shows it, colours included."""
    paper = io.StringIO()
    console = Console(file=paper, force_terminal=True, color_system="standard", width=COLUMNS)
    console.print(match.board_text(seat), highlight=False)
    return paper.getvalue()


def as_pixels(svg: str) -> Pixels:
    """The picture in the middle of the canvas, as large as fits."""
    from storeys.raster import size_of, to_png

    try:
        from PIL import Image
    except ImportError:
        raise NotInstalled(Message("storeys.picture.extra", what="Pillow")) from None
    width, height = size_of(svg)
    scale = min(CANVAS[0] / width, CANVAS[1] / height)
    drawn = Image.open(io.BytesIO(to_png(svg, int(width * scale)))).convert("RGB")
    canvas = Image.new("RGB", CANVAS, drawn.getpixel((1, 1)))
    canvas.paste(drawn, ((CANVAS[0] - drawn.width) // 2, (CANVAS[1] - drawn.height) // 2))
    return np.asarray(canvas).copy()
