"""Prompts name the next step and count, a turn that ends too early is asked about once, and a move
without alternatives makes itself."""

from typing import Any

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.helpers import (
    ME,
    PHONE,
    SEEN,
    Server,
    new_table,
    no_errors,
    open_page,
    play_by_post,
    state,
    touch,
    wait_for_turn,
)


def test_the_bar_names_the_next_step_and_counts(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, PHONE)
    table = new_table(page, server, "manhattan", [ME, {"kind": "bot", "bot": "random"}])
    page.goto(f"{server.url}/t/{table}")
    words = page.locator("#choice")
    expect(words).to_have_text("Pick 4 more blocks.")
    touch(page.locator("[data-pick-n1='1']"))
    expect(words).to_have_text("Now pick 3 more blocks.")
    touch(page.locator("[data-pick-n2='2']"))
    expect(words).to_have_text("Now pick 1 more block.")
    now = play_by_post(page, server, table, 2)
    page.wait_for_function(SEEN, arg=now["seq"])
    expect(words).to_contain_text("a card, a block or a site in any city")
    touch(page.locator("[data-pick-block].can").first)
    touch(page.locator("[data-pick-card].can").first)
    expect(words).to_have_text("Now pick a site in any city.")
    no_errors(page)


def early_end(page: Page, server: Server) -> tuple[str, dict[str, Any]]:
    """A table of Cloud City at which a walkway can be built, and the state."""
    table = new_table(page, server, "cloud-city", [ME])
    now = wait_for_turn(page, server, table)
    while not any(choice.get("note") for choice in now["choices"] if not choice.get("ends")):
        now = play_by_post(page, server, table, 1)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=now["seq"])
    return table, now


def draw(page: Page) -> None:
    page.locator("[data-pick-row='0'].can").click(force=True)
    page.locator("#confirm").click()


def test_one_warning_before_a_turn_ends_early(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, asks=True)
    table, now = early_end(page, server)
    draw(page)
    expect(page.locator("#undone")).to_contain_text("a move that brings +")
    page.get_by_role("button", name="Go back").click()
    assert state(page, server, table)["seq"] == now["seq"]
    page.locator("#confirm").click()
    page.get_by_label("Don't ask again").check(force=True)
    page.get_by_role("button", name="End the turn").click()
    page.wait_for_function(SEEN, arg=now["seq"] + 1)
    _, now = early_end(page, server)
    draw(page)
    page.wait_for_function(SEEN, arg=now["seq"] + 1)  # nobody has asked
    no_errors(page)


def leave_one_choice(route: Route) -> None:
    """Let the page hear of one legal move alone."""
    now = route.fetch().json()
    route.fulfill(json=now | {"choices": now["choices"][:1]})


def test_a_move_without_alternatives_makes_itself(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME])
    now = wait_for_turn(page, server, table)
    page.route("**/api/tables/*?*", leave_one_choice)
    page.goto(f"{server.url}/t/{table}")
    page.locator("#view-skyline").click()
    expect(page.locator("#turns")).to_be_visible()
    assert state(page, server, table)["seq"] == now["seq"], "nobody wanted that"
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Make moves without alternatives").click()
    page.wait_for_function(SEEN, arg=now["seq"] + 1)
    expect(page.locator("#notes")).to_contain_text(now["choices"][0]["label"])
    page.unroute_all(behavior="wait")  # or a late answer would meet the next test
    no_errors(page)


def with_a_need(now: dict[str, Any]) -> dict[str, Any] | None:
    """A choice that says what it needs, of a piece for which there are several squares."""
    needy = [one for one in now["choices"] if "needs" in str(one.get("preview"))]
    pieces = [one["picks"]["piece"] for one in needy]
    return next((one for one in needy if pieces.count(one["picks"]["piece"]) > 1), None)


def test_badges_say_what_a_move_needs_and_changes(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME])
    now = wait_for_turn(page, server, table)
    while (needy := with_a_need(now)) is None:
        now = play_by_post(page, server, table, 1)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=now["seq"])
    page.locator(f"[data-pick-piece='{needy['picks']['piece']}'].can").click(force=True)
    page.locator(f"[data-pick-square='{needy['picks']['square']}']").first.click(force=True)
    expect(page.locator("#choice")).to_contain_text(needy["preview"]["words"])
    page.keyboard.press("Escape")
    expect(page.locator(".badge.words").first).to_contain_text("needs")
    page.locator("#scores summary").first.click()
    expect(page.locator("#scores .promise").first).to_contain_text("Safe now: ")
    no_errors(page)
