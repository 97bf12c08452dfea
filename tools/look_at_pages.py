"""Picture matches at many sizes and moments: ``python -m tools.look_at_pages FOLDER``.

Games may be named behind the folder, and sizes as ``390x844``; without any all are pictured.
A server of its own is started.
"""

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.browser.helpers import Server
from tests.browser.moments import SIZES, moments
from tests.chromium import CHROMIUM, WHY_NOT

import storeys


def main() -> None:
    """Take all pictures that are asked for."""
    if CHROMIUM is None:
        sys.exit(WHY_NOT)
    folder, *named = sys.argv[1:]
    sizes = tuple(name for name in named if name in SIZES) or tuple(SIZES)
    games = [name for name in named if name not in SIZES] or storeys.game_names()
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        server = Server(Path(kept), {**os.environ, "STOREYS_UNCOMPILED": "1"})
        server.start()
        try:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            for game in games:
                picture_moments(browser, server, game, Path(folder), sizes)
        finally:
            server.kill()


def picture_moments(
    browser: Browser, server: Server, game: str, folder: Path, sizes: tuple[str, ...]
) -> None:
    """A picture of each moment of a match at each size."""
    for moment in moments(browser, server, game):
        for size, page in moment.at_all_sizes(sizes):
            (folder / size).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=folder / size / f"{game}-{moment.name}.png")


if __name__ == "__main__":
    main()
