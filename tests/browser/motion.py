"""Looking at what moves: what has set out so far, and animations that hang."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

import storeys
from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ME,
    SEEN,
    Server,
    new_table,
    open_page,
    play_by_post,
)

WATCH = """
addEventListener("DOMContentLoaded", () => {
  window.moved = [];
  const layer = document.querySelector("#motion");
  if (!layer) return;
  const note = (changes) => moved.push(...changes.flatMap(({ addedNodes }) => [...addedNodes])
    .map((one) => one.getAttribute("data-moves")));
  new MutationObserver(note).observe(layer, { childList: true });
});
"""
"""Notes in `moved` what every copy in the layer does."""
HANG = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) {
  const run = animate.apply(this, how);
  run.pause();
  return run;
};
"""
"""No animation ever ends by itself."""
HAS_MOVED = "what => moved.includes(what)"
AT_REST = """
() => document.querySelectorAll("#motion > *").length === 0 &&
  document.querySelectorAll(".area [style*=opacity]").length === 0
"""
"""Whether nothing is under way and everything is seen again."""
GUARD = "() => end(flight), longest + GRACE"
SCRIPT = Path(storeys.__file__).parent / "web" / "static" / "motion.js"


def watched_table(
    browser: Browser,
    server: Server,
    game: str,
    size: dict[str, int] = DESKTOP,
    moves: int = 4,
    script: str = "",
    seats: list[dict[str, str]] | None = None,
) -> tuple[Page, str, dict[str, Any]]:
    """A page at a table some moves into its match, with its number and its state."""
    page = open_page(browser, server.url, size, moves=True)
    page.add_init_script(WATCH + script)
    table = new_table(page, server, game, seats or [ME, BOT])
    now = play_by_post(page, server, table, moves)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=now["seq"])
    return page, table, now
