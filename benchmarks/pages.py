"""The page of a match in Chromium: how soon it is there, what moves cost, what they send."""

import importlib.util
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.chromium import CHROMIUM

import storeys
from storeys.kernel.caching import cache_root

from .serving import served, warm
from .timing import Contender, Effort, Label

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = "The page of a match, in Chromium"
SLOWER = 4
"""How many times the CPU is slowed down for the first paint."""
MOVES = 12
DESK = (1280, 800)
NOTE_LONG_TASKS = """
() => {
  const motion = document.getElementById("motion");
  window.spells = []; // in which something moves
  new MutationObserver(() => {
    const spell = spells.at(-1);
    if (motion.childElementCount && !(spell && spell.end === Infinity))
      spells.push({ start: performance.now(), end: Infinity });
    else if (!motion.childElementCount && spell) spell.end = performance.now();
  }).observe(motion, { childList: true });
  window.long = [];
  new PerformanceObserver((list) => long.push(...list.getEntries())).observe({ type: "longtask" });
}
"""
LONG_TASKS = """
() => long.filter(({ startTime, duration }) =>
  spells.some(({ start, end }) => startTime < end && startTime + duration > start)).length
"""
STILL = "() => !document.getElementById('motion').childElementCount"
SEEN = "seq => Number(document.documentElement.dataset.seq) >= seq"
PAINTED = """
() => new Promise((done) => {
  const observer = new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime));
  observer.observe({ type: "largest-contentful-paint", buffered: true });
})
"""


def contenders(effort: Effort) -> list[Contender]:
    """A match of each game, where there are a Chromium and Playwright to open it with."""
    if not (importlib.util.find_spec("playwright") and CHROMIUM):
        return []
    return [contender(game, effort.of(MOVES)) for game in storeys.game_names()]


def labels_of(game: str) -> tuple[Label, Label, Label]:
    """The figures of a game's page."""
    return (
        Label(f"{game} largest contentful paint, CPU slowed {SLOWER} times", "ms"),
        Label(f"{game} tasks over 50 ms while things move, of a move", "tasks"),
        Label(f"{game} received by a page for a move", "kB"),
    )


def contender(game: str, moves: int) -> Contender:
    def measure() -> Sequence[float]:
        warm()
        with opened(game) as (page, address):
            return paint_of(page, address), *cost_of(page, address, moves)

    return Contender(PAGES, labels_of(game), measure)


@contextmanager
def opened(game: str) -> "Iterator[tuple[Page, str]]":
    """A page, and the address of a match against a bot to be opened in it."""
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home), STOREYS_CACHE=str(cache_root())) as server,
        sync_playwright() as playwright,
    ):
        browser: Browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": DESK[0], "height": DESK[1]})
        origin = f"http://127.0.0.1:{server.port}"
        page.goto(origin)
        seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "novice"}]
        made = page.request.post(f"{origin}/api/tables", data={"game": game, "seats": seats})
        yield page, f"{origin}/t/{made.json()['table']}"
        browser.close()


def paint_of(page: "Page", address: str) -> float:
    """When the largest part of a match that is opened for the second time is there, in ms."""
    page.goto(address)
    page.wait_for_selector("html[data-seq]")  # its script runs
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(address)
    page.wait_for_selector("html[data-seq]")  # its script runs
    found = float(page.evaluate(PAINTED))
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return found


def cost_of(page: "Page", address: str, moves: int) -> tuple[float, float]:
    """Long tasks and kB of a move, one's own or an answer to it, that the page shows."""
    page.goto(address)
    page.wait_for_selector("html[data-seq]")  # its script runs
    page.evaluate(NOTE_LONG_TASKS)
    session, received = page.context.new_cdp_session(page), [0]
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda one: received.append(one["encodedDataLength"]))
    session.on("Network.eventSourceMessageReceived", lambda one: received.append(len(one["data"])))
    state, first = asked(page, address), int(asked(page, address)["last_ply"])
    while state["last_ply"] - first < moves and state["status"] == "playing":
        if state["your_turn"]:
            post(page, address, state)
        state = asked(page, address)
    page.wait_for_function(SEEN, arg=state["seq"])
    page.wait_for_function(STILL)
    made = max(1, int(state["last_ply"]) - first)
    return float(page.evaluate(LONG_TASKS)) / made, sum(received) / made / 1000


def asked(page: "Page", address: str) -> dict[str, Any]:
    """The state of the table, asked for beside the page and once it has seen it, standing still."""
    state = dict(page.request.get(address.replace("/t/", "/api/tables/")).json())
    page.wait_for_function(SEEN, arg=state["seq"])
    page.wait_for_function(STILL)
    return state


def post(page: "Page", address: str, state: dict[str, Any]) -> None:
    """Make the first move that there is."""
    event = {"kind": "move", "seat": state["to_move"], "seq": state["seq"]}
    event |= {"id": f"move-{state['seq']}-of-the-page", "move": state["choices"][0]["move"]}
    page.request.post(f"{address.replace('/t/', '/api/tables/')}/events", data=event)
