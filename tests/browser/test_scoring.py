"""Scoring is a scene: counted place by place, the sums growing, told to who cannot see it too."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import PHONE, SEEN, Server, no_errors, play_by_post
from tests.browser.motion import watched_table

NOTE = """
addEventListener("DOMContentLoaded", () => {
  window.told = []; window.sums = []; window.spoilt = false;
  const note = () => {
    const words = document.querySelector("#prompt")?.textContent;
    const sum = document.querySelector("#seats .sum strong")?.textContent;
    if (!document.body.matches(".counting")) return;
    if (words && told.at(-1) !== words) told.push(words);
    if (sum && sums.at(-1) !== sum) sums.push(sum);
    const total = document.querySelector(".score strong");
    if (total?.checkVisibility({ visibilityProperty: true })) window.spoilt = true;
  };
  const all = { subtree: true, childList: true, characterData: true };
  new MutationObserver(note).observe(document.body, all);
});
"""
"""Notes what the prompt says and what the first seat has, while something is counted."""
COUNTED = "() => !document.body.matches('.counting') && told.length > 1"
COUNTING = "() => document.body.matches('.counting') && told.length > 1"


def play_until(page: Page, server: Server, table: str, done: Any) -> dict[str, Any]:
    now = play_by_post(page, server, table, 0)
    while not done(now):
        now = play_by_post(page, server, table, 1)
    return now


def test_a_round_is_counted_city_by_city(server: Server, browser: Browser, shots: Path) -> None:
    page, table, _ = watched_table(browser, server, "manhattan", moves=6, script=NOTE)
    expect(page.locator("#round")).to_have_text("Round 1 of 6")
    now = play_until(page, server, table, lambda now: any(s["total"] for s in now["scores"]))
    page.wait_for_function(COUNTING)
    page.screenshot(path=shots / "scoring-desktop.png")
    page.wait_for_function(COUNTED)
    told, sums = page.evaluate("told"), [int(one) for one in page.evaluate("sums")]
    cities = [area["title"] for area in now["areas"] if area["kind"] == "city"]
    named = [
        next((city for city in cities if words.startswith(f"{city}: ")), None) for words in told
    ]
    assert [city for city in named if city] == [city for city in cities if city in named]
    assert "Ada +" in "".join(told)
    assert not page.evaluate("spoilt"), "the list tells the sums before they are counted"
    assert sums == sorted(sums)
    assert sums[-1] == now["scores"][0]["total"]
    assert len(sums) > 1
    expect(page.locator("#round")).to_have_text("Round 2 of 6")
    expect(page.locator("#spoken")).to_contain_text(f"Ada {sums[-1]}")
    heard = page.locator("#spoken p").all_inner_texts()
    counted = [words for words, city in zip(told, named, strict=True) if city]
    assert [words for words in heard if words in counted] == counted
    expect(page.locator("#prompt")).to_have_attribute("aria-live", "polite")
    no_errors(page)


def test_a_round_that_nobody_saw_is_counted_when_somebody_looks(
    server: Server, browser: Browser
) -> None:
    page, table, _ = watched_table(browser, server, "manhattan", moves=6, script=NOTE)
    page.wait_for_function(SEEN, arg=1)
    page.goto(server.url)  # away from the table
    play_until(page, server, table, lambda now: any(s["total"] for s in now["scores"]))
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(COUNTING)
    page.wait_for_function(COUNTED)
    page.reload()  # once is enough
    page.wait_for_function(SEEN, arg=1)
    expect(page.locator("body.counting")).to_have_count(0)
    no_errors(page)


def test_the_end_is_counted_line_by_line_and_can_be_skipped(
    server: Server, browser: Browser, shots: Path
) -> None:
    seats = [{"kind": "me", "name": "Ada"}]
    page, table, _ = watched_table(browser, server, "neoville", PHONE, 20, NOTE, seats)
    now = play_until(page, server, table, lambda now: now["status"] == "over")
    page.wait_for_function(COUNTING)
    page.screenshot(path=shots / "scoring-phone.png")
    expect(page.locator("#sheet")).to_be_hidden()
    page.locator("#skip-scene").tap()
    expect(page.locator("#sheet")).to_be_visible()
    expect(page.locator("#seats .sum strong")).to_have_text(
        str(now["scores"][0]["total"]).replace("-", "−")
    )
    assert len(page.evaluate("told")) < len(now["scores"][0]["parts"])
    no_errors(page)
