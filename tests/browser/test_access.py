"""What axe-core finds wrong with the pages: nothing, in any theme, at a desk and on a phone."""

import os
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

import storeys
from storeys.kernel.drawing.themes import THEMES
from tests.browser.helpers import (
    DESKTOP,
    PHONE,
    STILL,
    Server,
    eventually,
    may_go_on,
    new_table,
    open_page,
    play_to_the_end,
)

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
# A theme has the same colours on a phone, so one of them is enough there; all in `make proof`.
PROOF = "STOREYS_PROOF" in os.environ
LOOKS = [("desktop", DESKTOP, theme) for theme in THEMES]
LOOKS += [("phone", PHONE, theme) for theme in THEMES if theme == "light" or PROOF]
SIZES_AND_THEMES = pytest.mark.parametrize(
    ("size", "theme"),
    [look[1:] for look in LOOKS],
    ids=[f"{theme}-{name}" for name, _, theme in LOOKS],
)
ME, BOT = {"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random", "name": "Bo"}
VIOLATIONS = """
async () => {
  for (const one of document.getAnimations()) one.finish();
  const rules = { "label-content-name-mismatch": { enabled: true } };
  const { violations } = await axe.run(document, { resultTypes: ["violations"], rules });
  // What is written in a drawing is part of what its label says in its own words.
  const counts = (id, target) =>
    id !== "label-content-name-mismatch" || !document.querySelector(target[0]).closest(".area");
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ target }) => counts(id, target))
      .map(({ html, failureSummary }) => `${id}: ${failureSummary} ${html.slice(0, 200)}`));
}
"""


def assert_accessible(page: Page, where: Any) -> None:
    page.wait_for_function(STILL)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(VIOLATIONS)
    assert found == [], f"{where}: {found}"


def open_in(browser: Browser, server: Server, size: dict[str, int], theme: str) -> Page:
    """The home page in a theme, which stays."""
    page = open_page(browser, server.url, size)
    page.locator(f"[data-choose-theme={theme}]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    return page


@SIZES_AND_THEMES
def test_pages_with_words(
    server: Server, browser: Browser, size: dict[str, int], theme: str
) -> None:
    page = open_in(browser, server, size, theme)
    new_table(page, server, "neoville", [ME, BOT])
    games = storeys.game_names()
    paths = ["/", "/replay", "/t/nothing", *(f"/rules/{game}" for game in games)]
    paths += [f"/new/{game}?how={how}" for game in games for how in ("bots", "friends")]
    for path in paths:
        page.goto(server.url + path)
        assert_accessible(page, path)


@SIZES_AND_THEMES
@pytest.mark.parametrize("game", storeys.game_names())
def test_a_match(
    server: Server, browser: Browser, size: dict[str, int], theme: str, game: str
) -> None:
    page = open_in(browser, server, size, theme)
    table = new_table(page, server, game, [ME, BOT, BOT])
    eventually(lambda: may_go_on(page, server, table))
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    assert_accessible(page, "one's own turn")
    if size is PHONE:
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert_accessible(page, tab.inner_text())
    page.locator("#open-menu").click()
    assert_accessible(page, "the menu")


@SIZES
def test_the_end_of_a_match(server: Server, browser: Browser, size: dict[str, int]) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, "neoville", [ME])
    page.goto(f"{server.url}/t/{table}")
    play_to_the_end(page, server, table)
    expect(page.locator("#sheet")).to_be_visible()
    for theme in ("light", "dark", "colour-blind"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible(page, f"the score sheet, {theme}")
    page.locator("#sheet [data-close]").click()
    if size is PHONE:
        page.get_by_role("tab", name="Scores").click()
    page.locator(".score summary").first.click()
    assert_accessible(page, "the scores")
