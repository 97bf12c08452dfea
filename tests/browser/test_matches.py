"""The pages in a real browser: whole matches, two people, one screen, keys alone.

Screenshots of every page are kept in .screenshots, or in the folder named by STOREYS_SCREENSHOTS.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import storeys
from storeys.registry import get_game
from tests.browser.helpers import (
    COUNTED,
    DESKTOP,
    GONE_ON,
    PHONE,
    SEEN,
    STILL,
    Server,
    new_table,
    no_errors,
    open_page,
    play_after,
    play_move,
    play_own_moves,
    play_to_the_end,
    state,
    throttle,
    wait_for_turn,
)
from tests.proofs import PROOF

MOST_MOVES, MOST_TURNS = 400, 6
MOVES = 5
"""How many moves one makes oneself where a match is short."""


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_whole_match_on_a_phone(server: Server, browser: Browser, shots: Path, game: str) -> None:
    """A phone that is six times slower than this machine."""
    page = open_page(browser, server.url, PHONE)
    throttle(page)
    begin_match(page, server, game)
    page.screenshot(path=shots / f"{game}-phone-start.png")
    play_to_the_end(page)
    expect(page.locator("#sheet")).to_be_visible()
    expect(page.locator("#prompt")).to_contain_text("win")
    page.screenshot(path=shots / f"{game}-phone-end.png")
    no_errors(page)


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_match_on_a_desk(server: Server, browser: Browser, shots: Path, game: str) -> None:
    """Its first moves; ``make proof`` plays it to its end."""
    page = open_page(browser, server.url, DESKTOP)
    table = begin_match(page, server, game)
    page.screenshot(path=shots / f"{game}-desktop-start.png")
    for _ in range(MOVES):
        play_after(page, wait_for_turn(page, server, table)["seq"])
    assert state(page, server, table)["last_ply"] >= MOVES
    if PROOF:
        play_to_the_end(page)
        expect(page.locator("#prompt")).to_contain_text("win")
    page.screenshot(path=shots / f"{game}-desktop-end.png")
    no_errors(page)


def begin_match(page: Page, server: Server, game: str) -> str:
    """Sit down against bots, so many that one has the fewest moves to make oneself."""
    kind = get_game(game)
    players = min(
        (players for players in kind.seats if players > 1),
        key=lambda players: kind.most_moves(kind.settle(players, {})) / players,
    )
    bots = [{"kind": "bot", "bot": "novice"}] * (players - 1)
    table = new_table(page, server, game, [{"kind": "me", "name": "Ada"}, *bots])
    page.goto(f"{server.url}/t/{table}")
    return table


ALL_LOADED = """
() => document.readyState === "complete" &&
  [...document.images].filter((one) => one.checkVisibility() && one.loading !== "lazy")
    .every((one) => one.complete)
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_page_is_shown(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    name = "phone" if size is PHONE else "desktop"
    pages = ["/", "/new/neoville", "/new/cloud-city?how=friends", "/new/manhattan?how=here",
             "/replay", "/rules/neoville", "/t/nothing"]  # fmt: skip
    for nth, path in enumerate(pages):
        page.goto(server.url + path)
        page.wait_for_function(ALL_LOADED)
        page.screenshot(path=shots / f"page-{nth}-{name}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        assert not wide, f"{path} is wider than the screen"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_one_click_from_home_to_a_match(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    play = page.get_by_role("button", name="Play now").first
    expect(play).to_be_in_viewport()  # nobody scrolls to begin
    play.click()
    page.wait_for_url("**/t/*")
    expect(page.locator("#board .can, #panels .can").first).to_be_visible()
    no_errors(page)


def test_two_browsers_in_one_match(server: Server, browser: Browser, shots: Path) -> None:
    ada = open_page(browser, server.url)
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "friend"}]
    table = new_table(ada, server, "cloud-city", seats)
    ada.goto(f"{server.url}/t/{table}")
    invite = state(ada, server, table)["seats"][1]["invite"]
    ben = open_page(browser, server.url + invite, PHONE)
    ben.locator("input[name=name]").fill("Ben")
    ben.locator("form button").click()
    ben.wait_for_url(f"**/t/{table}")
    for _ in range(MOST_TURNS if PROOF else 3):
        for page in (ada, ben):
            seq = play_own_moves(page, server, table)
            other = ben if page is ada else ada
            other.wait_for_function(SEEN, arg=seq)
    ada.screenshot(path=shots / "two-ada.png")
    ben.screenshot(path=shots / "two-ben.png")
    no_errors(ada)
    no_errors(ben)


def test_a_curtain_on_one_screen(server: Server, browser: Browser, shots: Path) -> None:
    page = open_page(browser, server.url)
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = new_table(page, server, "manhattan", seats)
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#curtain")).to_be_visible()
    page.screenshot(path=shots / "curtain.png")
    assert "data-pick-card" not in page.content()
    page.locator("#lift").click()
    expect(page.locator("#curtain")).to_be_hidden()
    play_move(page)
    no_errors(page)


BEHIND_THE_CURTAIN = """
from storeys.web import states

viewer = states._viewer

def see_too_much(table, mine, seat):
    shown, curtain = viewer(table, mine, seat)
    return table.match.to_move if curtain else shown, curtain

states._viewer = see_too_much
"""
"""A server that sends what the curtain should hide; Python runs such a file when it starts."""


def test_without_its_guard_the_test_of_the_curtain_fails(
    browser: Browser, shots: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BEHIND_THE_CURTAIN, "utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = Server(tmp_path, {**os.environ, "PYTHONPATH": path})
    server.start()
    try:
        with pytest.raises(AssertionError, match="'data-pick-card' not in"):
            test_a_curtain_on_one_screen(server, browser, shots)
    finally:
        server.kill()


HELPS_ON = """
() => {
  const keys = (element) => element.getAttributeNames().filter((n) => n.startsWith("data-pick-"));
  const picked = new Set([...document.querySelectorAll(".picked")].flatMap(keys));
  const isNew = (element) => !keys(element).some((key) => picked.has(key));
  const left = [...document.querySelectorAll("#board .can, #panels .can")].filter(
    (e) => !e.matches(".picked") && e.checkVisibility() && e.getBoundingClientRect().width > 0);
  const here = document.activeElement?.closest(".can:not(.picked)");
  return Boolean(here) && (isNew(here) || !left.some(isNew));
}
"""
"""Whether what has the focus can be picked, and nothing of its kind is picked yet; of a walkway
whose one end is picked, there is only the other end left."""


def play_move_by_keys(page: Page) -> None:
    """Tab to what is lit and press Enter until a move can be confirmed; turn it; confirm."""
    confirm = page.locator("#confirm")
    if page.locator("#skip-scene").is_visible():  # what has been scored is being counted
        page.keyboard.press("Escape")
        page.wait_for_function(COUNTED)
    for _ in range(150):
        if confirm.is_visible() and confirm.is_enabled():
            break
        page.keyboard.press("Tab")
        if page.evaluate(HELPS_ON):
            page.keyboard.press("Enter")
            page.wait_for_function(STILL)
    page.keyboard.press("r")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("game", storeys.game_names())
def test_keys_alone(server: Server, browser: Browser, game: str) -> None:
    """Some moves; ``make proof`` plays a whole match so."""
    page = open_page(browser, server.url)
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random"}]
    table = new_table(page, server, game, seats)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    whole = PROOF
    for _ in range(MOST_MOVES if whole else 5):
        before = state(page, server, table)["seq"]
        play_move_by_keys(page)
        page.wait_for_function(GONE_ON, arg=before)
        now = wait_for_turn(page, server, table)
        page.wait_for_function(SEEN, arg=now["seq"])
        if now["status"] == "over":
            break
    assert (now["status"] == "over") == whole
    no_errors(page)
