"""Playing with others: links to pass on, clocks, lists of matches."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ME,
    PHONE,
    Server,
    new_table,
    no_errors,
    open_page,
)

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
