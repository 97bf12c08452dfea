"""Take the pictures of the pages that the README shows: every game in a real browser.

Run it as ``make screenshots``, or ``python -m tools.make_screenshots FOLDER``.  A server of its own
is started; ``builder`` plays for everybody until the match is well under way.
"""

import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from tests.browser.helpers import (
    PHONE,
    SEEN,
    STILL,
    Server,
    new_table,
    open_page,
)
from tests.chromium import CHROMIUM, WHY_NOT

import storeys

SHARE = 0.6
"""How much of a match has been played when its picture is taken."""
SEATS = [
    {"kind": "me", "name": "Ada"},
    {"kind": "bot", "bot": "builder", "name": "Ben"},
    {"kind": "bot", "bot": "novice", "name": "Cleo"},
]


def main() -> None:
    """Take all pictures."""
    if CHROMIUM is None:
        sys.exit(WHY_NOT)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept, sync_playwright() as playwright:
        server = Server(Path(kept))
        server.start()
        try:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            for game in storeys.game_names():
                picture_match(browser, server, game, folder)
        finally:
            server.kill()


def picture_match(browser: Browser, server: Server, game: str, folder: Path) -> None:
    """Play a match until well after its middle, and picture it on a desk and on a phone."""
    page = open_page(browser, server.url)
    table = new_table(page, server, game, SEATS)
    enough = SHARE * storeys.arena.playouts(game, 100, players=len(SEATS)).lengths.mean()
    while not play_for_me(page, server, table, enough):
        time.sleep(0.05)  # a bot thinks
    seat_url = page.request.post(f"{server.url}/api/tables/{table}/seats/0/link").json()["url"]
    take(page, f"{server.url}/t/{table}", folder / f"{game}.png")
    phone = open_page(browser, server.url + seat_url, PHONE)
    phone.locator("form button").click()
    phone.wait_for_url(f"**/t/{table}")
    take(phone, f"{server.url}/t/{table}", folder / f"{game}-phone.png")


def play_for_me(page: Page, server: Server, table: str, enough: float) -> bool:
    """Make a move where it is the page's turn; says whether the picture can be taken."""
    here = f"{server.url}/api/tables/{table}"
    answer: dict[str, Any] = page.request.get(f"{here}/view?seat=0").json()
    if answer["view"]["to_move"] != 0:
        return False
    fresh_turn = answer["view"]["phase"] in ("build", "place")
    if answer["seq"] > enough and fresh_turn:
        return True
    move = storeys.bot("builder", seed=answer["seq"]).choose(answer["view"])
    event = {"kind": "move", "seat": 0, "seq": answer["seq"], "id": secrets.token_hex(8)}
    page.request.post(f"{here}/events", data=event | {"move": str(move)})
    return False


def take(page: Page, url: str, file: Path) -> None:
    """A picture of a match once it is drawn."""
    page.goto(url)
    page.wait_for_function(SEEN, arg=1)
    page.wait_for_function(STILL)
    page.screenshot(path=file)


if __name__ == "__main__":
    main()
