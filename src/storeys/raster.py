"""Pictures as pixels: PNG by resvg, animations by Pillow; both come with the extra ``draw``."""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from storeys.kernel.errors import NotInstalled
from storeys.kernel.messages import Message

SECONDS_OF_A_FRAME = 0.7
SECONDS_OF_THE_LAST = 4.0


def to_png(svg: str, width: int | None = None) -> bytes:
    """A picture as PNG, of its own width or a given one.

    >>> import storeys
    >>> svg = storeys.new("neoville", seed=7).svg()
    >>> png = storeys.raster.to_png(svg, width=320)
    >>> png[1:4], int.from_bytes(png[16:20])
    (b'PNG', 320)
    """
    try:
        import resvg_py
    except ImportError:
        raise NotInstalled(Message("storeys.picture.extra", what="resvg_py")) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width))


def save_animation(
    pictures: Sequence[str], file: Path, width: int, tick: Iterable[str] | None = None
) -> None:
    """Write pictures one after the other as GIF or WebP; ``tick`` is gone through beside them.

    All frames are as large as the largest picture, so that nothing jumps.

    >>> import pathlib, storeys, tempfile
    >>> match = storeys.arena.playouts("cloud-city", 1, players=1, seed=7).match(0)
    >>> opening = [match.svg(ply=ply) for ply in range(3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "opening.gif")
    ...     storeys.raster.save_animation(opening, file, width=200)
    ...     file.read_bytes()[:6]
    b'GIF89a'
    """
    try:
        from PIL import Image
    except ImportError:
        raise NotInstalled(Message("storeys.picture.extra", what="Pillow")) from None
    sizes = [size_of(svg) for svg in pictures]
    widest, highest = max(w for w, _ in sizes), max(h for _, h in sizes)
    scale = width / widest
    canvas = (width, round(highest * scale))

    def frames() -> Iterator[Any]:
        for svg, (w, _) in zip(tick or pictures, sizes, strict=True):
            drawn = Image.open(io.BytesIO(to_png(svg, round(w * scale)))).convert("RGB")
            frame = Image.new("RGB", canvas, drawn.getpixel((1, 1)))
            frame.paste(drawn, (0, 0))
            yield frame

    times = [round(1000 * SECONDS_OF_A_FRAME)] * (len(pictures) - 1)
    times.append(round(1000 * SECONDS_OF_THE_LAST))
    rest = frames()
    first = next(rest)
    first.save(file, save_all=True, append_images=rest, duration=times, loop=0)


def size_of(svg: str) -> tuple[float, float]:
    """The width and height that a picture names.

    >>> import storeys
    >>> storeys.raster.size_of(storeys.new("neoville", seed=7).svg())
    (1224.0, 926.0)
    """
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])
