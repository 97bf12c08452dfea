"""Moves move: what lies elsewhere in the next picture travels there, and nobody waits for it."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

import storeys
from tests.browser.helpers import (
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
    wait_for_turn,
)
from tests.browser.motion import AT_REST, GUARD, HANG, HAS_MOVED, SCRIPT, WATCH, watched_table

LONG_ENOUGH = 5000
"""Milliseconds of the page's own clock in which every flight is over."""


@pytest.mark.parametrize(
    ("game", "size"),
    [*((game, DESKTOP) for game in storeys.game_names()), ("neoville", PHONE)],
    ids=lambda what: what if isinstance(what, str) else str(what["width"]),
)
def test_a_move_travels(server: Server, browser: Browser, game: str, size: dict[str, int]) -> None:
    """One's own and a bot's, made while the page looks on; then everything is where it belongs."""
    page, table, _ = watched_table(browser, server, game, size)
    play_by_post(page, server, table, 1)
    page.wait_for_function(HAS_MOVED, arg="travels")
    page.wait_for_function(AT_REST)
    no_errors(page)


def test_points_fly_to_their_seat(server: Server, browser: Browser) -> None:
    page, table, _ = watched_table(browser, server, "neoville")
    for _ in range(6):  # the laying of a skyscraper is among so many moves
        play_by_post(page, server, table, 1)
    page.wait_for_function(HAS_MOVED, arg="points")
    page.wait_for_function(AT_REST)


def takeover_in(now: dict[str, Any]) -> str | None:
    """A move that takes a tower over, if there is one."""
    drawn = "".join(area["body"] for area in now["areas"])
    towers = dict(re.findall(r'data-piece="tower-(\d-\d)" data-owner="(\d)"', drawn))
    for choice in now["choices"]:
        owner = towers.get(choice["picks"].get("site", ""))
        if owner is not None and owner != choice["picks"]["block"].split("-")[0]:
            return str(choice["move"])
    return None


def test_a_takeover_turns_the_tower(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, moves=True)
    page.add_init_script(WATCH)
    here = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = new_table(page, server, "manhattan", here)
    page.goto(f"{server.url}/t/{table}")
    address = f"{server.url}/api/tables/{table}"
    while True:
        now = page.request.get(address).json()
        now = page.request.get(f"{address}?seat={now['to_move']}").json()
        taking = takeover_in(now)
        move = taking or now["choices"][len(now["choices"]) // 2]["move"]
        if taking:
            page.wait_for_function(SEEN, arg=now["seq"])
        event = {"kind": "move", "seat": now["to_move"], "seq": now["seq"], "move": move}
        posted = page.request.post(f"{address}/events", data=event | {"id": f"{now['seq']:08d}"})
        assert posted.ok, posted.text()
        if taking:
            break
    page.wait_for_function(HAS_MOVED, arg="turns")
    page.wait_for_function(AT_REST)
    expect(page.locator("#latest-turns button").first).to_contain_text("takes the tower over from")


def test_who_asks_for_no_motion_gets_none(server: Server, browser: Browser) -> None:
    """With its companion: the same page moves where nobody has asked for that."""
    page, table, _ = watched_table(browser, server, "cloud-city")
    page.emulate_media(reduced_motion="reduce")
    now = play_by_post(page, server, table, 2)
    page.wait_for_function(SEEN, arg=now["seq"])
    assert page.evaluate("moved") == []
    page.emulate_media(reduced_motion="no-preference")
    play_by_post(page, server, table, 2)
    page.wait_for_function(HAS_MOVED, arg="travels")


def test_a_click_while_something_moves_counts(server: Server, browser: Browser) -> None:
    """All animations hang, and whole moves are made by hand."""
    page, table, now = watched_table(browser, server, "neoville", script=HANG)
    for _ in range(4):
        play_after(page, now["seq"])
        now = wait_for_turn(page, server, table)
    assert page.evaluate("moved.length") > 0
    no_errors(page)


def hang(page: Page, server: Server) -> int:
    """How many copies are still in the layer, long after they should have arrived."""
    page.add_init_script(WATCH + HANG)
    page.clock.install()
    table = new_table(page, server, "neoville", [ME])
    now = wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=now["seq"])
    play_by_post(page, server, table, 1)
    expect(page.locator("#motion > *").first).to_be_attached()
    page.clock.run_for(LONG_ENOUGH)
    return page.locator("#motion > *").count()


def test_what_hangs_is_ended(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, moves=True)
    assert hang(page, server) == 0
    assert page.evaluate(AT_REST)


def test_what_hangs_stays_without_the_guard(server: Server, browser: Browser) -> None:
    page, text = open_page(browser, server.url, moves=True), SCRIPT.read_text("utf-8")
    assert GUARD in text

    def without_guard(route: Route) -> None:
        body = text.replace(GUARD, "() => {}, longest + GRACE")
        route.fulfill(body=body, content_type="text/javascript")

    page.route("**/static/motion.js", without_guard)
    assert hang(page, server) > 0
