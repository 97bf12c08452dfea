"""A server in a process of its own, pages in Chromium, and a hand that plays what is lit."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
WHY_NOT = "no Chromium is installed (Debian: apt-get install chromium)"
MUST_RUN = bool(os.environ.get("STOREYS_CI"))
"""Continuous integration never skips these tests."""
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 240.0
ERRORS: dict[Page, list[str]] = {}
"""What each page has complained of."""


class Server:
    """A server in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = f"sqlite:///{folder / 'browser.db'}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable, "-m", "storeys.cli", "serve", "--port", str(self.port),
            "--database", self.database, "--workers", "1", "--pace", "0",
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(3000):  # the first start compiles the rules
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(self.url)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def figure(self, name: str) -> float:
        """A figure of the server's own."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


def open_page(browser: Browser, url: str, size: dict[str, int] = DESKTOP) -> Page:
    """A page in a browser of its own: no cookies, no other tabs."""
    view: ViewportSize = {"width": size["width"], "height": size["height"]}
    context = browser.new_context(viewport=view, has_touch=size is PHONE, locale="en-GB")
    return open_tab(context.new_page(), url)


def open_tab(page: Page, url: str) -> Page:
    """Go to an address and listen for what the page complains of."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
    page.goto(url)
    ERRORS[page] = errors
    return page


def no_errors(page: Page) -> None:
    assert ERRORS[page] == []


def new_table(
    page: Page, server: Server, game: str, seats: list[dict[str, str]], **options: Any
) -> str:
    """A table, set up through the API with the page's cookie."""
    answer = page.request.post(
        f"{server.url}/api/tables", data={"game": game, "seats": seats, "options": options}
    )
    assert answer.ok, answer.text()
    return str(answer.json()["table"])


def state(page: Page, server: Server, table: str) -> dict[str, Any]:
    """What the server tells this browser."""
    return dict(page.request.get(f"{server.url}/api/tables/{table}").json())


CAN_BE_PICKED = """
() => {
  const keys = (element) => element.getAttributeNames().filter((n) => n.startsWith("data-pick-"));
  const picked = new Set([...document.querySelectorAll(".picked")].flatMap(keys));
  const all = [...document.querySelectorAll("#board .can, #panels .can")];
  const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
  const left = all.filter((e) => seen(e) && !e.matches(".picked"));
  const other = left.find((e) => !keys(e).some((key) => picked.has(key)));
  return all.indexOf(other ?? left[0]);
}
"""
SEEN = "seq => Number(document.documentElement.dataset.seq) >= seq"
GONE_ON = "seq => Number(document.documentElement.dataset.seq) > seq"


def play_move(page: Page) -> None:
    """Pick what is lit, one after the other, until a move can be confirmed."""
    confirm = page.locator("#confirm")
    for _ in range(60):
        if confirm.is_visible() and confirm.is_enabled():
            break
        nth = page.evaluate(CAN_BE_PICKED)
        if nth >= 0:
            page.locator("#board .can, #panels .can").nth(nth).click(force=True)
        page.wait_for_timeout(50)
    confirm.click()


def play_own_moves(page: Page, server: Server, table: str) -> int:
    """Play as long as it is this browser's turn; the number of the last event."""
    now = state(page, server, table)
    while now["your_turn"] and now["status"] == "playing":
        page.wait_for_function(SEEN, arg=now["seq"])
        play_move(page)
        page.wait_for_function(GONE_ON, arg=now["seq"])
        now = state(page, server, table)
    return int(now["seq"])


def play_to_the_end(page: Page, server: Server, table: str) -> None:
    """Play whatever comes until the match is over."""
    patience = time.time() + PATIENCE
    while state(page, server, table)["status"] != "over":
        assert time.time() < patience, state(page, server, table)["prompt"]
        play_own_moves(page, server, table)
        page.wait_for_timeout(100)
