"""What somebody hears who does not see the page: a turn of each game by keys and screen reader."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

import storeys
from tests.browser.helpers import (
    BOT,
    ME,
    POLLING,
    SEEN,
    STILL,
    Server,
    new_table,
    no_errors,
    open_page,
    play_by_post,
    wait_for_turn,
)
from tests.browser.test_matches import HELPS_ON

MOST_KEYS = 150
HINT = r"[A-Z][^.]+\."  # the page says how to go on
MAYBE = "maybe "
HEARD = {
    "cloud-city": [
        r"Lay a tile from your hand next to your city\.",
        r"place a tile at [a-p]\d+, button",
        HINT,
        r"\w+: (sand|blue|green|no building)(, (sand|blue|green|no building)){3}, button",
        r"Lays the (sand|blue|green)–(sand|blue|green) tile at [a-p]\d+.*",
    ],
    "manhattan": [
        r"Pick \d (red|blue) blocks for this round\.",
        r"\d blocks? of size 1, button",
        HINT,
        r"\d blocks? of size 2, button",
        MAYBE + HINT,  # said again only where the number has changed
        r"\d blocks? of size 3, button",
        r"Picks (red|blue) blocks: \d( \d)+.*",
    ],
    "neoville": [
        r"Lay a tile from your hand\.",
        r"\w+:( (earth|stone|water|grass)( \+ (park|sports ground))?,){4} button",
        r"Lays the ((earth|stone|water|grass)–?)+ tile at g7.*",
    ],
}
"""The turn of each game in the order in which it is heard: patterns of the whole of each line."""


class Reader:
    """Says what has the focus, and what the page says by itself, as screen readers are told."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.heard: list[str] = []

    def focus(self) -> None:
        """The name and the role of what has the focus."""
        found = self.session.send("Runtime.evaluate", {"expression": "document.activeElement"})
        nodes = self.session.send(
            "Accessibility.getPartialAXTree",
            {"objectId": found["result"]["objectId"], "fetchRelatives": False},
        )["nodes"]
        self.heard.append(f"{nodes[0]['name']['value']}, {nodes[0]['role']['value']}")

    def live(self, place: str) -> None:
        """What a live region says, if it says something new."""
        region = self.page.locator(place)
        assert region.get_attribute("aria-live") == "polite"
        said = region.inner_text()
        if said and said not in self.heard:
            self.heard.append(said)


def play_turn_by_ear(page: Page) -> list[str]:
    """A move by keys alone, and what is heard of it."""
    reader, confirm = Reader(page), page.locator("#confirm")
    reader.live("#prompt")
    for _ in range(MOST_KEYS):
        if confirm.is_enabled():
            break
        page.keyboard.press("Tab")
        if page.evaluate(HELPS_ON):
            reader.focus()
            page.keyboard.press("Enter")
            page.wait_for_function(STILL)
            reader.live("#choice")
    page.keyboard.press("Enter")
    return reader.heard


def pattern_of(lines: list[str]) -> str:
    """What matches all lines in their order, with those that may be missing."""
    return "".join(
        f"(?:{line.removeprefix(MAYBE)}\n){'?' if line.startswith(MAYBE) else ''}" for line in lines
    )


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_turn_by_ear(server: Server, browser: Browser, game: str) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, game, [ME, BOT])
    seq = wait_for_turn(page, server, table)["seq"]
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    heard = play_turn_by_ear(page)
    page.wait_for_function(SEEN, arg=seq + 1, polling=POLLING)
    assert re.fullmatch(pattern_of(HEARD[game]), "\n".join([*heard, ""])), heard
    now = play_by_post(page, server, table, 1)
    while not any(entry["seat"] == 1 for entry in now["log"]):  # a turn may have many moves
        now = play_by_post(page, server, table, 1)
    expect(page.locator("#spoken[aria-live=polite]")).to_contain_text(re.compile(r"Bo: \w+s .+"))
    no_errors(page)
