"""What axe-core finds wrong with the pages: nothing, in any theme, at a desk and on a phone."""

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

import storeys
from storeys.kernel.drawing.themes import THEMES
from tests.browser.helpers import (
    BOT,
    DESKTOP,
    HOST_TOKEN,
    ME,
    PHONE,
    STILL,
    Finished,
    Server,
    new_table,
    open_page,
    wait_for_turn,
)
from tests.proofs import PROOF, long_case, mostly_long

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
OTHER_THEMES = [theme for theme in THEMES if theme != "light"]
LISTENS = "() => !document.querySelector('main[inert]')"
"""What a page shows before its script runs cannot be used, and is not there for axe."""
RULES_ON_COLOURS = ["color-contrast", "link-in-text-block"]
VIOLATIONS = """
async (only) => {
  for (const one of document.getAnimations()) one.finish();
  const rules = { "label-content-name-mismatch": { enabled: true } };
  const options = { resultTypes: ["violations"], rules: only ? {} : rules };
  const { violations } = await axe.run(document, only ? { ...options, runOnly: only } : options);
  // What is written in a drawing is part of what its label says in its own words.
  const counts = (id, target) =>
    id !== "label-content-name-mismatch" || !document.querySelector(target[0]).closest(".area");
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ target }) => counts(id, target))
      .map(({ html, failureSummary }) => `${id}: ${failureSummary} ${html.slice(0, 200)}`));
}
"""


def assert_accessible(page: Page, where: Any, only: list[str] | None = None) -> None:
    """Nothing is wrong by all rules, or only by some of them."""
    page.wait_for_function(STILL)
    page.wait_for_function(LISTENS)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(VIOLATIONS, only)
    assert found == [], f"{where}: {found}"


def themes_of(size: dict[str, int], game: str = "") -> list[str]:
    """The themes, light first.

    Others have the same colours on a phone and on the pages about every game, so that there they
    come in proof alone.
    """
    enough = size is DESKTOP and game in ("", storeys.game_names()[0])
    return ["light", *(OTHER_THEMES if enough or PROOF else [])]


def assert_accessible_in(theme: str, page: Page, where: Any) -> None:
    """Light is judged by all rules, others by those on what a theme changes; in proof by all."""
    only = None if theme == "light" or PROOF else RULES_ON_COLOURS
    assert_accessible(page, f"{where}, {theme}", only)


def choose(page: Page, theme: str) -> None:
    """Choose a theme, whatever lies above its button."""
    page.locator(f"[data-choose-theme={theme}]").dispatch_event("click")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)


@SIZES
@pytest.mark.parametrize("game", storeys.game_names())
def test_pages_of_a_game(server: Server, browser: Browser, size: dict[str, int], game: str) -> None:
    ways = [f"/new/{game}?how={how}" for how in ("bots", "friends")]
    assert_pages_accessible(server, browser, themes_of(size, game), size, [f"/rules/{game}", *ways])


@SIZES
def test_pages_with_words(server: Server, browser: Browser, size: dict[str, int]) -> None:
    paths = ["/", "/matches", "/replay", "/away", "/t/nothing"]
    assert_pages_accessible(server, browser, themes_of(size), size, paths)


@SIZES
def test_pages_of_people_and_hosts(server: Server, browser: Browser, size: dict[str, int]) -> None:
    """What asks before it does something, and the host's page with what it asks and shows."""
    page = open_page(browser, f"{server.url}/carry", size)
    assert_accessible(page, "offering a phrase")
    page.get_by_role("button", name="Make a phrase").click()
    assert_accessible(page, "a phrase")
    link = page.get_by_label("Link", exact=True).input_value()
    for path in (link, f"{server.url}/erase", f"{server.url}/admin"):
        other = open_page(browser, server.url, size)
        new_table(other, server, "neoville", [ME, BOT])
        other.goto(path)
        assert_accessible(other, path)
    other.get_by_label("Token").fill(HOST_TOKEN)
    other.get_by_role("button", name="Open").click()
    expect(other.get_by_role("heading", name="Running matches")).to_be_visible()
    for theme in themes_of(size):
        choose(other, theme)
        assert_accessible_in(theme, other, "the host's page")


def assert_pages_accessible(
    server: Server, browser: Browser, themes: list[str], size: dict[str, int], paths: list[str]
) -> None:
    """Nothing is wrong with some pages, in some themes, for somebody who has a match."""
    page = open_page(browser, server.url, size)
    new_table(page, server, "neoville", [ME, BOT])
    for path in paths:
        page.goto(server.url + path)
        for theme in themes:
            choose(page, theme)
            assert_accessible_in(theme, page, path)


@pytest.mark.parametrize(
    ("game", "size"),
    [
        ("cloud-city", DESKTOP),
        ("manhattan", PHONE),
        ("neoville", PHONE),
        long_case("cloud-city", PHONE),
        long_case("manhattan", DESKTOP),
        long_case("neoville", DESKTOP),
    ],
    ids=lambda value: value if isinstance(value, str) else "phone" if value is PHONE else "desktop",
)
def test_a_match(server: Server, browser: Browser, size: dict[str, int], game: str) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, game, [ME, BOT, BOT])
    wait_for_turn(page, server, table)
    for theme in themes_of(size):
        choose(page, theme)
        page.goto(f"{server.url}/t/{table}")  # the server draws the board in the theme
        page.wait_for_selector(".can")
        assert_accessible_in(theme, page, "one's own turn")
        for tab in page.get_by_role("tab").all() if size is PHONE else []:
            tab.click()
            assert_accessible_in(theme, page, tab.inner_text())
        page.locator("#open-menu").click()
        assert_accessible_in(theme, page, "the menu")


@SIZES
@pytest.mark.parametrize("game", mostly_long("cloud-city"))
def test_the_skyline_and_what_opens_above_a_page(
    server: Server, browser: Browser, size: dict[str, int], game: str
) -> None:
    page = open_page(browser, server.url, size)
    page.evaluate("document.querySelector('#level').showModal()")
    assert_accessible(page, "the question how well one plays")
    table = new_table(page, server, game, [ME, BOT, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    page.locator("#view-skyline").click()
    expect(page.locator("#view-skyline")).to_have_attribute("aria-pressed", "true")
    page.evaluate("document.querySelector('#take-back').hidden = false")
    assert_accessible(page, "the skyline, and a move that can be taken back")
    page.locator("#goal").click()
    expect(page.locator("#drawer")).to_be_visible()
    assert_accessible(page, "the rules in their drawer")
    page.locator("#drawer [data-close]").click()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert_accessible(page, "the keys")


@pytest.mark.parametrize("lang", ["de", "nl"])
def test_pages_in_other_languages(server: Server, browser: Browser, lang: str) -> None:
    """All kinds of pages in words that may be longer; in proof of every game in every theme."""
    page = open_page(browser, f"{server.url}/lang/{lang}")
    expect(page.locator("html")).to_have_attribute("lang", lang)
    for game in storeys.game_names() if PROOF else ["manhattan"]:
        table = new_table(page, server, game, [ME, BOT, BOT])
        wait_for_turn(page, server, table)
        for path in ("/", f"/new/{game}?how=friends", f"/rules/{game}", f"/t/{table}"):
            for theme in THEMES if PROOF else ["light"]:
                page.goto(server.url + path)
                choose(page, theme)
                page.goto(server.url + path)  # the server draws the board in the theme
                assert_accessible(page, f"{path} in {lang}, {theme}")


@SIZES
def test_the_end_of_a_match(browser: Browser, finished: Finished, size: dict[str, int]) -> None:
    page = finished.open(browser, size)
    page.locator("#open-menu").click()
    page.locator("#menu-items").get_by_role("button", name="Score sheet").click()
    expect(page.locator("#sheet")).to_be_visible()
    for theme in ("light", *OTHER_THEMES):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible_in(theme, page, "the score sheet")
    page.locator("#sheet [data-close]").click()
    if size is PHONE:
        page.get_by_role("tab", name="Scores").click()
    page.locator(".score summary").first.click()
    assert_accessible(page, "the scores")
