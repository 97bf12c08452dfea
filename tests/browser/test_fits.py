"""A match fits its screen: what a decision needs is in sight, nothing moves from turn to turn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import storeys
from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ME,
    PHONE,
    SEEN,
    Server,
    new_table,
    no_errors,
    open_page,
    play_after,
    play_by_post,
    state,
    touch,
    wait_for_turn,
)
from tests.browser.moments import FRAMES, SIZES, Moment, at_size, moments
from tests.example_games import environment, found
from tests.proofs import PROOF

QUICK_SIZES = ("1280x800", "1280x800-zoomed", "820x1180", "390x844", "844x390")
"""Larger desks have the layout of the smallest one with more room; proof looks at them too."""
QUICKEST_SIZES = ("1280x800", "390x844")
"""Of the games that need less room than Manhattan with its six cities; proof looks at all."""
TURNS = 3
OUT_OF_SIGHT = """
() => {
  const within = (box, room) => box.left >= room.left - 2 && box.right <= room.right + 2 &&
    box.top >= room.top - 2 && box.bottom <= room.bottom + 2;
  const floor = document.querySelector("#dock").getBoundingClientRect().top;
  const screen = { left: 0, top: 0, right: innerWidth, bottom: floor };
  const isSeen = (one) => {
    const box = one.getBoundingClientRect();
    const rooms = [one.closest(".area.city, #panels, #side"), one.closest("#side")].filter(Boolean);
    return within(box, screen) && rooms.every((room) => within(box, room.getBoundingClientRect()));
  };
  const lack = [];
  const whole = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const title = document.querySelector(".bar h1").getBoundingClientRect();
  const round = document.querySelector("#round").getBoundingClientRect();
  if (!within(round, title) || !within(title, whole)) lack.push("the round");
  const needed = [...document.querySelectorAll("[data-needed]")];
  const ready = document.querySelector("#confirm").ariaDisabled === "false";
  const waits = document.body.matches(".picking") && !ready;
  if (waits && !needed.length) lack.push("nothing is said to be needed");
  for (const part of needed) {
    const tab = document.querySelector(`#tabs [data-tab~="${part.dataset.panel}"]`);
    if (part.matches(".pane:not(.open)") && tab?.checkVisibility()) {
      // Behind a tab: the tab is in sight and lit, and another panel that is needed is open.
      const open = document.querySelector(".pane.open[data-needed], .picked");
      if (!tab.matches(".lit") || !within(tab.getBoundingClientRect(), screen) || !open)
        lack.push(`the tab of ${part.dataset.panel}`);
      continue;
    }
    for (const one of part.querySelectorAll(".can"))
      if (!isSeen(one)) lack.push(one.getAttribute("aria-label"));
  }
  const says = document.querySelector(".says");
  if (says.scrollHeight > says.clientHeight + 1) lack.push("some of what is to be done");
  for (const id of ["prompt", "confirm"]) {
    const one = document.getElementById(id);
    const whole = { ...screen, bottom: innerHeight };
    if (one.checkVisibility() && !within(one.getBoundingClientRect(), whole)) lack.push(`#${id}`);
  }
  return lack;
}
"""
"""What the present decision needs and is below the fold, under the bar, or cut."""
WATCH_SHIFTS = """
() => {
  window.shifts = [];
  const note = (entries) => {
    for (const entry of entries) for (const { node } of entry.sources) {
      if (node?.matches?.(window.watched)) window.shifts.push(node.id || node.className);
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift" });
  window.takeShifts = () => { note(observer.takeRecords()); return window.shifts; };
}
"""
"""Note every shift that the browser counts, those after input included, of what keeps still."""
STILL_PARTS = ".bar, #prompt-bar, #seats, .table, #board, .room, #side, #dock"
PLACES = """
(parts) => [...document.querySelectorAll(parts)].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [one.id || one.className, x, y, width, height].join(" ");
})
"""
SCALES = """
() => [...document.querySelectorAll("#cities .large .area, #cities.alike .area")]
  .map((one) => `${one.dataset.area} ${one.getAttribute("viewBox")}`)
"""
"""How much is seen of each city; small ones show what is built, and follow it."""


def in_sight(moment: Moment, sizes: tuple[str, ...]) -> None:
    for size, page in moment.at_all_sizes(sizes):
        lack = page.evaluate(OUT_OF_SIGHT)
        assert lack == [], f"{moment.name} at {size}: {lack}"


def assert_fits(browser: Browser, server: Server, game: str) -> None:
    """What is needed is in sight at each decision of a match; in proof at all sizes to its end."""
    quick = QUICK_SIZES if game == "manhattan" else QUICKEST_SIZES
    sizes = tuple(SIZES) if PROOF else quick
    seen = 0
    for moment in moments(browser, server, game, whole=PROOF):
        in_sight(moment, sizes)
        seen += 1
    assert seen > 1
    no_errors(moment.desk)
    no_errors(moment.touched)


@pytest.mark.parametrize("game", storeys.game_names())
def test_what_a_decision_needs_is_in_sight(server: Server, browser: Browser, game: str) -> None:
    assert_fits(browser, server, game)


@pytest.fixture(scope="module")
def its_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    (name,) = found()
    folder = tmp_path_factory.mktemp("example-fits")
    made = Server(folder, environment(name, folder / "site") | {"STOREYS_UNCOMPILED": "1"})
    made.start()
    yield made
    made.kill()


def test_the_fourth_game_fits_too(its_server: Server, browser: Browser) -> None:
    assert_fits(browser, its_server, next(iter(found())))


FAULTS = {
    "below the fold": ".drawn { padding-top: 700px; }",
    "under the bar": ".table { transform: translateY(90%); }",
    "cut": ".drawn { transform: translateX(200px); }",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_that_something_is_out_of_sight_is_found(
    server: Server, browser: Browser, fault: str
) -> None:
    moment = next(iter(moments(browser, server, "neoville")))
    page = at_size(moment.desk, "1280x800")
    assert page.evaluate(OUT_OF_SIGHT) == []
    page.evaluate("(rule) => document.styleSheets[0].insertRule(rule)", FAULTS[fault])
    assert page.evaluate(OUT_OF_SIGHT)


# --- nothing moves


def watched_match(
    browser: Browser, server: Server, game: str, size: dict[str, int]
) -> tuple[Page, str]:
    page = open_page(browser, server.url, size)
    page.add_init_script(
        f"window.watched = '{STILL_PARTS}{'' if size is PHONE else ', .city-box'}'"
    )
    bots: list[dict[str, Any]] = [
        {"kind": "bot", "bot": "random", "name": n} for n in ("Ben", "Cleo")
    ]
    table = new_table(page, server, game, [{"kind": "me", "name": "Ada"}, *bots])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    page.evaluate(FRAMES)
    page.evaluate(WATCH_SHIFTS)
    return page, table


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", storeys.game_names())
def test_nothing_moves_from_turn_to_turn(
    server: Server, browser: Browser, shots: Path, game: str, size: dict[str, int]
) -> None:
    page, table = watched_match(browser, server, game, size)
    before, scales = page.evaluate(PLACES, STILL_PARTS), page.evaluate(SCALES)
    for _ in range(TURNS):
        play_after(page, wait_for_turn(page, server, table)["seq"])
        assert page.evaluate(PLACES, STILL_PARTS) == before
        assert size is PHONE or page.evaluate(SCALES) == scales  # a finger picks from nearer
    wait_for_turn(page, server, table)
    page.keyboard.press("<")  # looking back moves nothing either
    expect(page.locator("#scrubber")).to_be_visible()
    assert page.evaluate(PLACES, STILL_PARTS) == before
    page.evaluate(FRAMES)
    assert page.evaluate("takeShifts()") == []
    page.screenshot(path=shots / f"{game}-{'phone' if size is PHONE else 'desktop'}-still.png")


HOW_MUCH = """
(thing) => {
  const all = [...document.querySelectorAll(thing)];
  const floor = document.querySelector("#dock").getBoundingClientRect().top;
  const seen = all.filter((one) => {
    const { width, left, bottom } = one.getBoundingClientRect();
    const isShown = one.checkVisibility({ visibilityProperty: true });
    return isShown && width > 0 && left >= 0 && bottom <= floor + 1;
  });
  return [seen.length, all.length];
}
"""
"""How many of some things are in sight, and how many there are."""


@pytest.mark.parametrize("game", ["cloud-city", "neoville"])
def test_a_phone_shows_hand_and_row_at_once(server: Server, browser: Browser, game: str) -> None:
    """What can be laid, and below it what can be drawn then: there is room for both."""
    page = open_page(browser, server.url, PHONE)
    table = new_table(page, server, game, [ME, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector("#panels .can")
    assert page.evaluate(HOW_MUCH, "[data-pick-tile]") == [3, 3]
    shown, rows = page.evaluate(HOW_MUCH, "[data-pick-row]")
    assert shown == rows > 3
    expect(page.get_by_role("tab", name="Hand · Row")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Supply").tap()
    assert page.evaluate(HOW_MUCH, "[data-pick-tile]") == [0, 3]
    no_errors(page)


def test_at_200_percent_what_is_to_be_done_is_read_beside_what_takes_it_back(
    server: Server, browser: Browser
) -> None:
    """Four seats leave little room for both."""
    page = open_page(browser, server.url, {"width": 640, "height": 400})
    table = new_table(page, server, "neoville", [ME, BOT, BOT, BOT])
    now = play_by_post(page, server, table, 1)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=now["seq"])
    expect(page.locator("#take-back")).to_be_in_viewport(ratio=1)
    assert page.evaluate(OUT_OF_SIGHT) == []
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    page.locator("#take-back").click()
    expect(page.locator("#prompt")).to_have_text("Lay a tile from your hand.")
    no_errors(page)


BADGES = """
async () => {
  const { badgeBeside } = await import("/static/areas.js");
  const { views } = await import("/static/now.js");
  const view = views.get("city-0");
  const corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
  const squares = corners.map(([x, y]) => new DOMRect(180 + 36 * x, 200 + 36 * y, 36, 36));
  const drawn = squares.map(({ x, y, width, height }) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ x, y, width, height }))
      made.setAttribute(key, value);
    return made;
  });
  const taken = [...squares];
  const badges = squares.map((one, nth) => badgeBeside(`8\nneeds ${nth} more`, one, view, taken));
  view.top.append(...drawn, ...badges);
  const box = (one) => one.getBoundingClientRect();
  const covers = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const within = (a, b) => a.left >= b.left && a.right <= b.right &&
    a.top >= b.top && a.bottom <= b.bottom;
  const others = (nth) => [...drawn, ...badges.slice(nth + 1)];
  return badges.filter((one, nth) => !within(box(one), box(view.svg)) ||
    others(nth).some((other) => covers(box(one), box(other)))).length;
}
"""
"""How many of four badges lie on something, or leave their area."""


def test_words_on_a_board_cover_neither_each_other_nor_what_is_lit(
    server: Server, browser: Browser
) -> None:
    """Four squares of a tile, of each of which something else is said."""
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME])
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector("#panels .can")
    assert page.evaluate(BADGES) == 0
    no_errors(page)


TILE_SIDES = """
(scope) => [...document.querySelectorAll(`${scope} rect[data-piece]`)]
  .map((one) => one.getBoundingClientRect().width)
"""
LEGIBLE_TILE = 34  # pixels; a tile has four squares with their signs
ENLARGED = """
(times) => {
  const [leaf, box] = [".beside .leaf", ".beside"].map((one) => document.querySelector(one));
  return leaf.getBoundingClientRect().width >= times * box.getBoundingClientRect().width;
}
"""


@pytest.mark.parametrize("game", ["cloud-city", "neoville"])
def test_the_cities_of_three_opponents_can_be_read_and_are_enlarged(
    server: Server, browser: Browser, game: str
) -> None:
    page = open_page(browser, server.url)
    bots = [{"kind": "bot", "bot": "random"}] * 3
    table = new_table(page, server, game, [{"kind": "me", "name": "Ada"}, *bots])
    seq = play_by_post(page, server, table, 4)["seq"]
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=seq)
    assert min(page.evaluate(TILE_SIDES, ".beside")) >= LEGIBLE_TILE
    small = page.locator(".beside").first
    small.hover()
    page.wait_for_function(ENLARGED, arg=1.5)
    small.click()
    expect(page.locator(".large .caption .name")).to_have_text(
        state(page, server, table)["seats"][1]["name"]
    )
    no_errors(page)


def site_for_any_block(now: dict[str, Any]) -> str:
    """A site on which several blocks can be put, whatever bots have built."""
    picks = [choice["picks"] for choice in now["choices"]]
    blocks = {(one["site"], one["block"]) for one in picks if "site" in one}
    return str(next(site for site, _ in blocks if sum(other == site for other, _ in blocks) > 1))


def test_nothing_scrolls_away_while_what_is_lit_is_in_sight(
    server: Server, browser: Browser
) -> None:
    """Where a place is picked, pieces are lit at the head of a panel whose end is out of sight."""
    page = open_page(browser, server.url)
    bots = [{"kind": "bot", "bot": "random"}] * 3
    table = new_table(page, server, "manhattan", [{"kind": "me", "name": "Ada"}, *bots])
    page.goto(f"{server.url}/t/{table}")
    while (now := wait_for_turn(page, server, table))["choices"][0]["picks"].get("site") is None:
        play_after(page, now["seq"])
    page.wait_for_function(SEEN, arg=now["seq"])
    touch(page.locator(f"[data-pick-site='{site_for_any_block(now)}'].can"))
    page.wait_for_selector("[data-pick-block].can")
    end = "document.querySelector('[data-panel=stock]').getBoundingClientRect().bottom"
    assert page.evaluate(f"{end} > document.getElementById('side').getBoundingClientRect().bottom")
    assert page.evaluate("document.getElementById('side').scrollTop") == 0


def test_a_shift_is_counted(server: Server, browser: Browser) -> None:
    page, _ = watched_match(browser, server, "neoville", DESKTOP)
    before = page.evaluate(PLACES, STILL_PARTS)
    page.evaluate("document.body.style.setProperty('--bar', '90px')")
    page.evaluate(FRAMES)
    assert page.evaluate("takeShifts()")
    assert page.evaluate(PLACES, STILL_PARTS) != before
    scales = page.evaluate(SCALES)
    page.evaluate("document.querySelector('.large .area').setAttribute('viewBox', '0 0 99 99')")
    assert page.evaluate(SCALES) != scales
