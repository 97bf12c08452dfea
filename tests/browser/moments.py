"""Moments of a match at which somebody looks at its page: each decision, its picks, the end.

A new game has its moments without being known here: its view names its phases, its choices what is
picked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.helpers import (
    PATIENCE,
    POLLING,
    SEEN,
    STILL,
    Server,
    new_table,
    open_page,
    open_tab,
    play_by_post,
)

SIZES = {
    "1280x800": (1280, 800),
    "1440x900": (1440, 900),
    "1920x1080": (1920, 1080),
    "1280x800-zoomed": (640, 400),  # at 200 % a pixel of the page is two of the screen
    "820x1180": (820, 1180),
    "390x844": (390, 844),
    "844x390": (844, 390),
}
FINGERS = ("820x1180", "390x844", "844x390")
"""Screens that are touched."""
MOST_MOVES = 400
AHEAD = 12
"""How many own moves lie before the decisions of the middle."""
MOST_KINDS = 5
"""Moves in which all kinds of decisions are looked for."""
PICKED_FIRST = ("tile", "piece", "card", "block")  # before the place they go to
PICK = """
([key, value]) => {
  const all = [...document.querySelectorAll(`[data-pick-${key}="${value}"]`)];
  const meant = all.find((one) => one.matches(".can, .may, .implied")) ?? all[0];
  const click = () => meant?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  click();
  if (!meant?.matches(".picked, .implied")) click(); // the first has opened a small city
}
"""
NEW_SIZE = "([width, height]) => innerWidth === width && innerHeight === height"
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass(frozen=True)
class Moment:
    """What is looked at, in a page that is touched or not."""

    name: str
    desk: Page
    touched: Page

    def at_all_sizes(self, only: tuple[str, ...] = tuple(SIZES)) -> Iterator[tuple[str, Page]]:
        """The page at each size, drawn and standing still."""
        for name in only:
            yield name, at_size(self.touched if name in FINGERS else self.desk, name)


def at_size(page: Page, name: str) -> Page:
    """A page at another size, once it has fitted itself."""
    width, height = SIZES[name]
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(NEW_SIZE, arg=[width, height])
    page.evaluate(FRAMES)  # the page fits itself in the next frame
    page.wait_for_function(STILL)
    return page


def moments(browser: Browser, server: Server, game: str, whole: bool = True) -> Iterator[Moment]:
    """Each kind of decision with its picks; of a whole match also later on, and its end."""
    desk = open_page(browser, server.url)
    others = [{"kind": "bot", "bot": "random", "name": name} for name in ("Ben", "Cleo")]
    table = new_table(desk, server, game, [{"kind": "me", "name": "Ada"}, *others])
    address = f"{server.url}/t/{table}"
    desk.goto(address)
    touched = open_tab(fingers(browser, desk.context).new_page(), address)
    match = Match(server, table, desk, touched)
    yield from match.decisions("start")
    if whole:
        match.play(AHEAD)
        yield from match.decisions("middle")
        match.play(MOST_MOVES)
        yield match.moment("end")


@dataclass(frozen=True)
class Match:
    """A match that is looked at in two pages of the same person."""

    server: Server
    table: str
    desk: Page
    touched: Page

    def play(self, moves: int) -> dict[str, Any]:
        """Make so many moves of one's own; the state of which both pages know."""
        now = play_by_post(self.desk, self.server, self.table, moves)
        for page in (self.desk, self.touched):
            page.wait_for_function(SEEN, arg=now["seq"], polling=POLLING)
        return now

    def moment(self, name: str) -> Moment:
        return Moment(name, self.desk, self.touched)

    def decisions(self, when: str) -> Iterator[Moment]:
        """The decisions that come until their kinds come again, each with its picks."""
        seen: set[str] = set()
        for _ in range(MOST_KINDS):
            now = self.play(0)
            if now["status"] == "over":
                return
            view = self.desk.request.get(
                f"{self.server.url}/api/tables/{self.table}/view?seat=0"
            ).json()["view"]
            if (kind := view["phase"]) not in seen:
                seen.add(kind)
                yield from self.picks(f"{when}-{kind}", now["choices"])
            self.play(1)

    def picks(self, name: str, choices: list[dict[str, Any]]) -> Iterator[Moment]:
        """A decision before each of its picks, and before it is confirmed."""
        yield self.moment(f"{name}-0")
        picks = max(choices, key=lambda choice: len(choice["picks"]))["picks"]
        things = [key for key in PICKED_FIRST if key in picks]
        keys = [*things, *(key for key in picks if key not in (*things, "turn"))]
        for nth, key in enumerate(keys, start=1):
            for page in (self.desk, self.touched):
                page.evaluate(PICK, [key, picks[key]])
                page.wait_for_function(STILL)
            yield self.moment(f"{name}-{nth}")


def fingers(browser: Browser, like: BrowserContext) -> BrowserContext:
    """A browser of the same person on a screen that is touched."""
    context = browser.new_context(
        has_touch=True, is_mobile=True, locale="en-GB", storage_state=like.storage_state()
    )
    context.set_default_timeout(PATIENCE * 1000)
    return context
