"""Playing with others: links to pass on, clocks, lists of matches."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ME,
    PHONE,
    SEEN,
    Server,
    finish,
    new_table,
    no_errors,
    open_page,
    play_after,
    play_by_post,
    play_own_moves,
)
from tests.browser.test_access import assert_accessible

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
FRIEND = {"kind": "friend"}
SHARES = """
navigator.share = async (what) => { window.shared = what; };
"""


@SIZES
def test_the_waiting_page_gives_the_link_in_every_form(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    page.add_init_script(SHARES)
    table = new_table(page, server, "neoville", [ME, FRIEND])
    page.goto(f"{server.url}/t/{table}")
    banner = page.locator("#banner")
    link = banner.get_by_role("textbox", name="Seat 2").input_value()
    assert link.startswith(f"{server.url}/join/")
    expect(banner.get_by_text("These links work only on this machine.")).to_be_visible()
    if size is PHONE:  # where there is little room, and links are sent
        banner.get_by_text("QR code").tap()
    picture = banner.get_by_role("img", name="QR code of the link: Seat 2")
    expect(picture).to_be_visible()
    page.wait_for_function("() => document.querySelector('.qr img').naturalWidth > 0")
    assert_accessible(page, "waiting for friends")
    page.screenshot(path=shots / f"waiting-{size['width']}.png")
    banner.get_by_role("button", name="Share: Seat 2").click()
    page.wait_for_function("() => window.shared")
    assert page.evaluate("() => window.shared.url") == link
    no_errors(page)


@SIZES
def test_a_clock_ticks_by_the_servers_time(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    """Also where this machine's clock is an hour fast."""
    page = open_page(browser, server.url, size)
    answer = page.request.post(
        f"{server.url}/api/tables",
        data={"game": "manhattan", "seats": [ME, BOT], "clock": "2-minutes"},
    )
    page.add_init_script("const late = Date.now; Date.now = () => late() + 3_600_000;")
    page.goto(f"{server.url}{answer.json()['url']}")
    clock = page.get_by_role("timer")
    expect(clock).to_contain_text("1:")
    before = clock.inner_text()
    expect(clock).not_to_have_text(before)
    expect(clock).to_contain_text("1:")
    page.screenshot(path=shots / f"clock-{size['width']}.png")
    no_errors(page)


@SIZES
def test_my_matches_follow_what_happens(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, "neoville", [ME, FRIEND])
    page.goto(f"{server.url}/matches")
    expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    invite = page.request.get(f"{server.url}/api/tables/{table}").json()["seats"][1]["invite"]
    guest = open_page(browser, f"{server.url}{invite}")
    guest.get_by_role("button", name="Take the seat").click()
    expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
    expect(page).to_have_title("(1) My matches")
    page.screenshot(path=shots / f"matches-{size['width']}.png")
    no_errors(page)


@SIZES
@pytest.mark.parametrize("path", ["/", "/matches"])
def test_who_deletes_a_match_stays_in_the_list_it_was_in(
    server: Server, browser: Browser, size: dict[str, int], path: str
) -> None:
    page = open_page(browser, server.url, size)
    for _ in range(2):
        new_table(page, server, "neoville", [ME, BOT])
    page.goto(server.url + path)
    page.locator(".remove summary").first.click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".mine-card")).to_have_count(1)
    expect(page).to_have_url(server.url + path)
    no_errors(page)


@SIZES
def test_a_reaction_is_seen_and_heard_at_the_seat(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    ada = open_page(browser, server.url, size)
    table = new_table(ada, server, "neoville", [ME, FRIEND])
    invite = ada.request.get(f"{server.url}/api/tables/{table}").json()["seats"][1]["invite"]
    ben = open_page(browser, f"{server.url}{invite}", size)
    ben.get_by_label("Your name").fill("Ben")
    ben.get_by_role("button", name="Take the seat").click()
    ada.goto(f"{server.url}/t/{table}")
    ben.get_by_role("button", name="React").click()
    assert_accessible(ben, "choosing a reaction")
    ben.screenshot(path=shots / f"reactions-{size['width']}.png")
    ben.get_by_role("button", name="Well played!").click()
    expect(ada.locator(".shown-reaction[data-of='1'][data-reaction=bravo]")).to_be_visible()
    expect(ada.locator("#spoken")).to_contain_text("Ben: Well played!")
    ada.screenshot(path=shots / f"reaction-{size['width']}.png")
    ada.get_by_role("button", name="React").click()
    ada.get_by_label("Hide reactions of others").check()
    ben.get_by_role("button", name="React").click()
    ben.get_by_role("button", name="Oops!").click()
    expect(ben.locator(".shown-reaction[data-reaction=oops]")).to_be_visible()  # heard, and by both
    expect(ada.locator("#spoken")).not_to_contain_text("Oops!")
    no_errors(ada)
    no_errors(ben)


def test_a_face_is_chosen_and_an_evening_summed_up(
    server: Server, browser: Browser, shots: Path
) -> None:
    page = open_page(browser, server.url)
    first = finish(page, server, "cloud-city")
    page.goto(f"{server.url}/t/{first}")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Links and names").click()
    page.get_by_role("radio", name="water tank").check(force=True)
    page.get_by_role("radio", name="violet").check(force=True)
    assert_accessible(page, "choosing a face")
    page.screenshot(path=shots / "faces.png")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("#seats [data-seat='0'] .face")).to_have_attribute(
        "src", "/faces/tank-violet.svg"
    )
    state = page.request.get(f"{server.url}/api/tables/{first}").json()
    event = {"kind": "rematch", "seat": 0, "seq": state["seq"], "id": "an-id-of-this-test"}
    again = page.request.post(f"{server.url}/api/tables/{first}/events", data=event).json()
    table = again["table"]
    assert play_by_post(page, server, table, 400)["status"] == "over"
    page.goto(f"{server.url}/t/{table}")
    page.locator("#scores").get_by_role("button", name="Score sheet").click()
    evening = page.locator(".evening")
    expect(evening.get_by_role("rowheader")).to_have_count(2)
    expect(evening.locator("tbody tr").first.get_by_role("cell")).to_have_count(4)
    expect(page.locator("#seats [data-seat='1'] .name")).to_have_text("Ada")  # moved on
    evening.scroll_into_view_if_needed()
    assert_accessible(page, "an evening")
    page.screenshot(path=shots / "evening.png")
    no_errors(page)


READY = "() => navigator.serviceWorker.controller !== null"
KEPT = """
async ([path, hasMatches]) => {
  const kept = await caches.match(path);
  return kept && (await kept.text()).includes("mine-card") === hasMatches;
}
"""
"""Whether a page is kept as it is now."""


def test_the_app_shows_the_last_picture_while_the_server_is_away(
    browser: Browser, shots: Path, tmp_path: Path
) -> None:
    server = Server(tmp_path)
    server.start()
    page = open_page(browser, server.url, PHONE, worker=True)
    page.wait_for_function(READY)
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    cities = page.locator("#board [data-area^='city-']")
    expect(cities).to_have_count(2)
    server.kill()
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#prompt")).to_contain_text("No connection")
    expect(cities).to_have_count(2)
    page.screenshot(path=shots / "away-match.png")
    page.goto(f"{server.url}/rules/neoville")  # never seen before
    expect(page.get_by_role("heading", name="The server is away")).to_be_visible()
    page.screenshot(path=shots / "away.png")
    server.start()
    expect(page.get_by_role("heading", name="The server is away")).not_to_be_visible()
    names = page.evaluate("() => caches.keys()")
    assert len([name for name in names if name.startswith("storeys-static-")]) == 1
    server.kill()


def test_lists_of_matches_that_were_kept_say_that_the_server_is_away(
    browser: Browser, shots: Path, tmp_path: Path
) -> None:
    server = Server(tmp_path)
    server.start()
    page = open_page(browser, server.url, PHONE, worker=True)
    page.wait_for_function(READY)
    said = page.locator("#offline")
    for path, has_matches in [("/", False), ("/", True), ("/matches", True)]:
        if has_matches and path == "/":
            new_table(page, server, "neoville", [ME, BOT])
        page.goto(server.url + path)
        expect(said).to_have_text("")
        page.wait_for_function(KEPT, arg=[path, has_matches])
        server.kill()
        page.goto(server.url + path)
        expect(said).to_have_text("No connection – trying again …")
        expect(said).to_be_in_viewport()
        page.screenshot(path=shots / f"away-{path[1:] or 'home'}-{has_matches}.png")
        server.start()
        expect(said).to_have_text("")
        expect(page.locator(".mine-card")).to_have_count(int(has_matches))
    server.kill()


def newer(route: Route) -> None:
    """An answer of a server that has other files than the page."""
    answer = route.fetch()
    route.fulfill(response=answer, headers={**answer.headers, "storeys-files": "newer"})


def test_an_old_page_loads_itself_anew(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.evaluate("() => { window.old = true; }")
    page.route(f"**/api/tables/{table}?**", newer)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    page.wait_for_function("() => !window.old")
    page.evaluate("() => { window.old = true; }")
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    page.wait_for_function("() => performance.getEntriesByType('resource').some((one) => "
                           "one.name.includes('/api/tables/'))")  # fmt: skip
    assert page.evaluate("() => window.old")  # once for each version
    page.unroute_all(behavior="wait")  # or a late answer would meet the next test


@pytest.mark.parametrize("path", ["/", "/matches"])
def test_an_old_list_of_matches_loads_itself_anew(
    server: Server, browser: Browser, path: str
) -> None:
    page = open_page(browser, server.url)
    new_table(page, server, "neoville", [ME, BOT])
    page.goto(server.url + path)
    page.evaluate("() => { window.old = true; }")
    page.route(server.url + path, newer_if_asked)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    page.wait_for_function("() => !window.old")
    page.unroute_all(behavior="wait")
    no_errors(page)


def newer_if_asked(route: Route) -> None:
    """Newer for a script that asks; a browser that goes there is answered as ever."""
    if route.request.is_navigation_request():
        route.continue_()
    else:
        newer(route)


def test_an_old_page_does_not_go_on_after_a_post(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.route(f"**/api/tables/{table}/events?**", newer)
    seq = play_by_post(page, server, table, 0)["seq"]
    page.wait_for_function(SEEN, arg=seq)
    page.evaluate("() => { window.old = true; }")
    play_after(page, seq)
    page.wait_for_function("() => !window.old")
    page.wait_for_function(SEEN, arg=seq + 1)  # what was posted is kept
    page.goto(server.url)
    page.route("**/api/tables", newer)
    page.evaluate("() => sessionStorage.clear()")
    page.get_by_role("button", name="Play now: Neoville").click()
    # A table that was set up is gone to all the same; loading anew was begun before, and ended.
    page.wait_for_function("() => location.pathname.startsWith('/t/')")
    page.unroute_all(behavior="wait")
    no_errors(page)


@SIZES
def test_a_turn_rings_and_shows_in_the_tab(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    ada = open_page(browser, server.url, size)
    table = new_table(ada, server, "neoville", [FRIEND, ME])
    ada.goto(f"{server.url}/t/{table}")
    ada.get_by_role("button", name="Menu").click()
    assert ada.evaluate("() => Notification.permission") != "granted"  # nobody was asked
    ada.get_by_role("button", name="Play a sound when it is my turn").click()
    ada.wait_for_function("() => document.documentElement.dataset.rung === '1'")
    invite = ada.request.get(f"{server.url}/api/tables/{table}").json()["seats"][0]["invite"]
    ben = open_page(browser, f"{server.url}{invite}")
    ben.get_by_role("button", name="Take the seat").click()
    ben.wait_for_url("**/t/*")
    play_own_moves(ben, server, table)
    ada.wait_for_function("() => document.documentElement.dataset.rung === '2'")
    expect(ada).to_have_title("● your turn — Neoville")
    icon = ada.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", "/static/favicon-turn.svg")
    no_errors(ada)


NOTED = """
class Noted extends EventTarget {
  static permission = "default";
  static async requestPermission() { return (Noted.permission = "granted"); }
  constructor(title, options) { super(); (window.noted ??= []).push([title, options.body]); }
}
window.Notification = Noted;
window.isAway = false;
Object.defineProperty(document, "visibilityState", { get: () => isAway ? "hidden" : "visible" });
"""
"""In the place of the system's notifications, and of a tab that can be left."""


def test_who_looks_elsewhere_is_notified_of_the_turn(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    page.add_init_script(NOTED)
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Notify me when it is my turn").click()
    page.wait_for_function("() => localStorage.getItem('storeys.notify') === '1'")
    # A turn has no more moves; the bot makes its own before one's eyes.
    page.wait_for_function(SEEN, arg=play_by_post(page, server, table, 3)["seq"])
    assert page.evaluate("window.noted") is None
    page.evaluate("window.isAway = true")
    held: list[Route] = []  # The page hears of both turns at once, as from a quick bot.

    def hold(route: Route) -> None:
        held.append(route)

    page.route(lambda url: f"/api/tables/{table}" in url, hold)
    play_by_post(page, server, table, 3)
    for route in held:
        route.continue_()
    page.unroute_all()
    page.wait_for_function("() => window.noted?.length")
    assert page.evaluate("noted[0]") == ["It is your turn", "Neoville"]
    no_errors(page)
