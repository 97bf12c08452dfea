"""The last moves stay visible: marked on the board, in words above it, to be gone through again."""

import random
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import (
    DESKTOP,
    ME,
    PHONE,
    SEEN,
    Server,
    new_table,
    no_errors,
    open_page,
    play_by_post,
    state,
)
from tests.browser.motion import HAS_MOVED, WATCH, watched_table

NOTE_PLIES = """
() => {
  window.plies = [];
  const told = document.querySelector("#ply");
  new MutationObserver(() => {
    if (plies.at(-1) !== told.textContent) plies.push(told.textContent);
  }).observe(told, { childList: true });
}
"""
"""Note at which moves the board is seen, one after the other."""


NOTE_LARGE = """
() => {
  window.large = [];
  const see = () => {
    const name = document.querySelector(".city-box.large .area").dataset.area;
    if (large.at(-1) !== name) large.push(name);
  };
  see();
  const classes = { subtree: true, attributes: true, attributeFilter: ["class"] };
  new MutationObserver(see).observe(document.querySelector("#cities"), classes);
}
"""
"""Note whose city is large, one after the other."""


MARKED = """
() => [...document.querySelectorAll(".beside .last-moves .frame")].some((one) => {
  const { width, left, right, top, bottom } = one.getBoundingClientRect();
  const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return width > 12 && there?.closest(".beside");
})
"""
"""Whether a mark on a small city is in sight, and large enough to be seen."""


def two_people(
    browser: Browser, server: Server, size: dict[str, int] = DESKTOP
) -> tuple[Page, Page, str]:
    """Ada and Ben, who has a screen of this size, at a table of Neoville; it is Ada's turn."""
    ada = open_page(browser, server.url, moves=True)
    table = new_table(ada, server, "neoville", [ME, {"kind": "friend", "name": "Ben"}])
    invite = state(ada, server, table)["seats"][1]["invite"]
    ben = open_page(browser, server.url + invite, size, moves=True)
    ben.locator("input[name=name]").fill("Ben")
    ben.locator("form button").click()
    ben.wait_for_url(f"**/t/{table}")
    ada.goto(f"{server.url}/t/{table}")
    return ada, ben, table


def post(page: Page, server: Server, table: str, kind: str) -> dict[str, Any]:
    """Make the first move of a kind; the state since."""
    now = state(page, server, table)
    move = next(c["move"] for c in now["choices"] if c["move"].startswith(kind))
    event = {"kind": "move", "seat": now["to_move"], "seq": now["seq"], "move": move}
    answer = page.request.post(
        f"{server.url}/api/tables/{table}/events",
        data=event | {"id": f"{random.getrandbits(128):032x}"},
    )
    assert answer.ok, answer.text()
    return dict(answer.json()["state"])


def test_the_last_turn_of_others_is_marked_until_mine_ends(
    server: Server, browser: Browser
) -> None:
    ada, ben, table = two_people(browser, server)
    post(ada, server, table, "place")
    now = post(ada, server, table, "draw")
    marks = ben.locator(".last-moves circle")
    ben.wait_for_function(SEEN, arg=now["seq"])
    expect(marks).to_have_count(1)
    expect(ben.locator(".last-moves text").first).to_have_text("1")
    now = post(ben, server, table, "place")  # in the middle of Ben's turn
    ben.wait_for_function(SEEN, arg=now["seq"])
    expect(marks).to_have_count(1)
    now = post(ben, server, table, "draw")
    ben.wait_for_function(SEEN, arg=now["seq"])
    expect(marks).to_have_count(0)
    ada.wait_for_function(SEEN, arg=now["seq"])
    expect(ada.locator(".last-moves .frame")).to_have_count(1)
    no_errors(ada)
    no_errors(ben)


def test_pause_speed_and_skip_while_others_play(server: Server, browser: Browser) -> None:
    """Ben looks on with a phone while Ada plays."""
    ada, ben, table = two_people(browser, server, PHONE)
    now = post(ada, server, table, "place")
    ben.wait_for_function(SEEN, arg=now["seq"])
    for part in ("#pause", "#speed", "#skip"):  # all of them, before anything is paused
        expect(ben.locator(part)).to_be_in_viewport()
    ben.locator("#pause").click()
    expect(ben.locator("#ply")).to_have_text("1 / 1")
    now = post(ada, server, table, "draw")
    ben.wait_for_function(SEEN, arg=now["seq"])
    expect(ben.locator("#prompt")).to_contain_text("moves made since: 1")
    expect(ben.locator("#ply")).to_have_text("1 / 2")
    ben.locator("#speed").click()
    expect(ben.locator("#speed")).to_have_text("2×")
    ben.locator("#pause").click()  # goes on from there, until now
    expect(ben.locator("#timeline")).to_be_hidden()
    expect(ben.locator("#board .can, #panels .can").first).to_be_visible()
    ada.locator("#pause").click()
    now = post(ben, server, table, "place")
    ada.wait_for_function(SEEN, arg=now["seq"])
    expect(ada.locator("#ply")).to_have_text("2 / 3")
    ada.locator("#skip").click()
    expect(ada.locator("#ply")).to_have_text("3 / 3")
    no_errors(ada)
    no_errors(ben)


def test_where_one_city_has_room_it_is_that_of_who_moves(server: Server, browser: Browser) -> None:
    """Ben looks on with a phone while Ada plays, and may look at his own city meanwhile."""
    ada, ben, table = two_people(browser, server, PHONE)
    hers, his = (ben.locator(f".city-box.large [data-area=city-{seat}]") for seat in (0, 1))
    expect(hers).to_be_visible()
    ben.locator("#own-city").click()
    expect(his).to_be_visible()
    for kind in ("place", "draw"):
        now = post(ada, server, table, kind)
    ben.wait_for_function(SEEN, arg=now["seq"])
    expect(his).to_be_visible()  # his turn
    assert ben.evaluate(MARKED)  # what she did is seen beside it until his turn ends
    ben.locator("#latest-turns button").first.click()
    expect(hers).to_be_visible()  # what she did is in her city
    ben.locator("#own-city").click()
    expect(his).to_be_visible()
    ben.evaluate(NOTE_LARGE)
    ben.locator("#since").click()  # move by move, of which one is seen in her city
    ben.wait_for_function("() => window.large.join() === 'city-1,city-0,city-1'")
    no_errors(ben)


def test_the_latest_turns_in_words_and_since_my_last_turn(server: Server, browser: Browser) -> None:
    page, table, now = watched_table(browser, server, "cloud-city", moves=3, script=WATCH)
    while now["log"][-1]["seat"] == now["viewer"]:  # a turn is as long as chance will have it
        now = play_by_post(page, server, table, 1)
    newest = page.locator("#latest-turns button").first
    expect(newest).to_contain_text(now["log"][-1]["text"])
    second = page.locator("#latest-turns button").nth(1)
    ply = second.get_attribute("data-ply")
    second.click()
    expect(page.locator("#ply")).to_have_text(f"{ply} / {now['last_ply']}")
    page.locator("#skip").click()
    since = page.locator("#since")
    moves = int(since.locator("b").inner_text())
    page.evaluate(NOTE_PLIES)
    since.click()  # move by move, by itself
    page.wait_for_function("(moves) => window.plies.length >= moves", arg=moves)
    expect(page.locator("#timeline")).to_be_hidden()
    last = now["last_ply"]
    plies = [f"{ply} / {last}" for ply in range(last - moves, last)]
    assert page.evaluate("window.plies")[:moves] == plies
    page.wait_for_function(HAS_MOVED, arg="travels")
    since.click()
    page.locator("#run").click()  # it stops, and goes on by hand
    expect(page.locator("#run")).to_have_attribute("aria-pressed", "false")
    left = last - int(page.locator("#ply").inner_text().split(" / ")[0])
    for nth in range(left, 0, -1):
        expect(page.locator("#ply")).to_have_text(f"{last - nth} / {last}")
        page.locator("#step-on").click()
    expect(page.locator("#timeline")).to_be_hidden()
    later = play_by_post(page, server, table, 1)  # a step of one's own turn is none of theirs
    page.wait_for_function(SEEN, arg=later["seq"])
    expect(since.locator("b")).to_have_text(str(moves))
    no_errors(page)
