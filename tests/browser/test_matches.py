"""The pages in a real browser: whole matches, two people, one screen, a restart, keys alone.

Screenshots of every page are kept in the folder named by STOREYS_SCREENSHOTS, or a temporary one.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import storeys

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
WHY_NOT = "no Chromium is installed (Debian: apt-get install chromium)"
if not os.environ.get("STOREYS_BROWSER"):
    pytest.skip("these run by `make browser`", allow_module_level=True)
if CHROMIUM is None:
    pytest.skip(WHY_NOT, allow_module_level=True)
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright  # noqa: E402

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 180.0
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
            "--database", self.database, "--workers", "1",
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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("browser"))
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, WHY_NOT
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = os.environ.get("STOREYS_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_page(browser: Browser, url: str, size: dict[str, int] = DESKTOP) -> Page:
    view: ViewportSize = {"width": size["width"], "height": size["height"]}
    context = browser.new_context(viewport=view, has_touch=size is PHONE, locale="en-GB")
    page = context.new_page()
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
    answer = page.request.post(
        f"{server.url}/api/tables", data={"game": game, "seats": seats, "options": options}
    )
    assert answer.ok, answer.text()
    return str(answer.json()["table"])


def state(page: Page, server: Server, table: str) -> dict[str, Any]:
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


def play_to_the_end(page: Page, server: Server, table: str, most: int = 400) -> None:
    """Play whatever comes until the match is over."""
    patience = time.time() + PATIENCE
    for _ in range(most):
        now = state(page, server, table)
        if now["status"] == "over":
            return
        assert time.time() < patience, now["prompt"]
        if now["your_turn"]:
            page.wait_for_function(SEEN, arg=now["seq"])
            play_move(page)
            page.wait_for_function(GONE_ON, arg=now["seq"])
        else:
            page.wait_for_timeout(100)
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", storeys.game_names())
def test_a_whole_match_against_a_bot(
    server: Server, browser: Browser, shots: Path, game: str, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    name = f"{game}-{'phone' if size is PHONE else 'desktop'}"
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "novice"}]
    table = new_table(page, server, game, seats)
    page.goto(f"{server.url}/t/{table}")
    page.screenshot(path=shots / f"{name}-start.png")
    play_to_the_end(page, server, table)
    expect(page.locator("#prompt")).to_contain_text("win")
    page.screenshot(path=shots / f"{name}-end.png")
    no_errors(page)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_page_is_shown(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    name = "phone" if size is PHONE else "desktop"
    pages = ["/", "/new/neoville", "/new/cloud-city?how=friends", "/new/manhattan?how=here",
             "/replay", "/rules/neoville", "/t/nothing"]  # fmt: skip
    for nth, path in enumerate(pages):
        page.goto(server.url + path)
        page.wait_for_timeout(150)
        page.screenshot(path=shots / f"page-{nth}-{name}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        assert not wide, f"{path} is wider than the screen"


def test_one_click_from_home_to_a_match(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    page.get_by_role("button", name="Play now").first.click()
    page.wait_for_url("**/t/*")
    expect(page.locator("#board .can, #panels .can").first).to_be_visible(timeout=60_000)
    no_errors(page)


def test_two_browsers_in_one_match(server: Server, browser: Browser, shots: Path) -> None:
    ada = open_page(browser, server.url)
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "friend"}]
    table = new_table(ada, server, "cloud-city", seats)
    ada.goto(f"{server.url}/t/{table}")
    invite = state(ada, server, table)["seats"][1]["invite"]
    ben = open_page(browser, server.url + invite, PHONE)
    ben.locator("input[name=name]").fill("Ben")
    ben.locator("form button").click()
    ben.wait_for_url(f"**/t/{table}")
    for _ in range(6):
        for page in (ada, ben):
            now = state(page, server, table)
            while now["your_turn"] and now["status"] == "playing":
                page.wait_for_function(SEEN, arg=now["seq"])
                play_move(page)
                page.wait_for_function(GONE_ON, arg=now["seq"])
                now = state(page, server, table)
            other = ben if page is ada else ada
            other.wait_for_function(SEEN, arg=now["seq"])
    ada.screenshot(path=shots / "two-ada.png")
    ben.screenshot(path=shots / "two-ben.png")
    no_errors(ada)
    no_errors(ben)


def test_a_curtain_on_one_screen(server: Server, browser: Browser, shots: Path) -> None:
    page = open_page(browser, server.url)
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = new_table(page, server, "manhattan", seats)
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#curtain")).to_be_visible()
    page.screenshot(path=shots / "curtain.png")
    assert "data-pick-card" not in page.content()
    page.locator("#lift").click()
    expect(page.locator("#curtain")).to_be_hidden()
    play_move(page)
    no_errors(page)


def test_the_server_is_killed_in_the_middle_of_a_turn(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random"}]
    table = new_table(page, server, "neoville", seats)
    page.goto(f"{server.url}/t/{table}")
    play_move(page)  # the tile lies, and nothing is built or drawn yet
    page.wait_for_function(SEEN, arg=1)
    server.kill()
    server.start()
    page.wait_for_timeout(500)
    assert state(page, server, table)["seq"] == 1
    page.reload()
    play_move(page)
    page.wait_for_function(SEEN, arg=2)


def test_keys_alone(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random"}]
    table = new_table(page, server, "neoville", seats)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    for _ in range(3):
        before = state(page, server, table)["seq"]
        for _ in range(60):
            if page.locator("#confirm").is_visible() and page.locator("#confirm").is_enabled():
                break
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement?.closest('.can') !== null"):
                page.keyboard.press("Enter")
                page.wait_for_timeout(50)
        page.keyboard.press("r")
        page.keyboard.press("Enter")
        page.wait_for_function(GONE_ON, arg=before)
        while not state(page, server, table)["your_turn"]:
            page.wait_for_timeout(100)
    no_errors(page)
