"""A server in a process of its own, pages in Chromium, and a hand that plays what is lit."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, StorageState, ViewportSize

from tests.proofs import PROOF

MUST_RUN = bool(os.environ.get("STOREYS_CI"))
"""Continuous integration never skips these tests."""
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
ME = {"kind": "me", "name": "Ada"}
BOT = {"kind": "bot", "bot": "random", "name": "Bo"}
HOST_TOKEN = "a token of the host"
PATIENCE = 600.0
"""Seconds after which something is taken to hang; a busy machine needs less."""
ERRORS: dict[Page, list[str]] = {}
"""What each page has complained of."""


def eventually(check: Callable[[], Any]) -> Any:
    """What a check gives once it gives something."""
    patience = time.monotonic() + PATIENCE
    while not (found := check()):
        assert time.monotonic() < patience, "nothing happens any more"
        time.sleep(0.05)
    return found


def free_port() -> int:
    """A port that no system hands out: it is still free when a killed server comes back."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    """A server in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path, environment: dict[str, str] | None = None) -> None:
        self.environment = environment
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = f"sqlite:///{folder / 'browser.db'}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable, "-m", "storeys.cli", "serve", "--port", str(self.port),
            "--database", self.database, "--workers", "1", "--pace", "0",
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=self.environment)
        eventually(self.is_up)  # the first start compiles the rules

    def is_up(self) -> bool:
        """Whether it answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=PATIENCE):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def figure(self, name: str) -> float:
        """A figure of the server's own."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line for line in lines if line.startswith(f"{name} ")).split()[1])


def open_page(
    browser: Browser,
    url: str,
    size: dict[str, int] = DESKTOP,
    cookies: StorageState | None = None,
    asks: bool = False,
    moves: bool = PROOF,
    worker: bool = False,
) -> Page:
    """A page in a browser of its own: no cookies but those given, no other tabs.

    It asks before a turn ends early, asks which level is played, and lets things move, only if
    that is wanted; in the proof they always move.  What is kept for when the server is away is kept
    only if that is wanted.
    """
    view: ViewportSize = {"width": size["width"], "height": size["height"]}
    context = browser.new_context(
        viewport=view, has_touch=size is PHONE, locale="en-GB", storage_state=cookies,
        reduced_motion="no-preference" if moves else "reduce",
        service_workers="allow" if worker else "block",
    )  # fmt: skip
    context.set_default_timeout(PATIENCE * 1000)
    if not asks:
        context.add_init_script(
            "localStorage.setItem('storeys.unwarned', '1');"
            "localStorage.getItem('storeys.level') ?? localStorage.setItem('storeys.level', 'easy')"
        )
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


NEXT_STEP = """
(least) => {
  const seq = Number(document.documentElement.dataset.seq);
  if (seq < least || document.querySelector(".area.moving, body.busy")) return null;
  if (document.querySelector("#skip-scene").checkVisibility()) return [seq, "skip"];
  if (document.body.matches(".over")) return [seq, "over"];
  const confirm = document.querySelector("#confirm");
  if (confirm.checkVisibility() && confirm.ariaDisabled === "false") return [seq, "confirm"];
  const keys = (element) => element.getAttributeNames().filter((n) => n.startsWith("data-pick-"));
  const picked = new Set([...document.querySelectorAll(".picked")].flatMap(keys));
  const all = [...document.querySelectorAll("#board .can, #panels .can")];
  const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
  const left = all.filter((e) => seen(e) && !e.matches(".picked"));
  const other = left.find((e) => !keys(e).some((key) => picked.has(key))) ?? left[0];
  return other ? [seq, String(all.indexOf(other))] : null;
}
"""
"""What is to be done next, once the page has seen an event and the board stands still: the number
of what is lit, or confirm, or skip, or nothing as all is over; and the last event's number."""
POLLING = 50
"""Milliseconds between two looks at a page that is played on: a look at every frame, as is usual,
would make it draw frames, and a slow phone do little else."""
STILL = "() => !document.querySelector('.area.moving')"
COUNTED = "() => !document.querySelector('#skip-scene').checkVisibility()"
SEEN = "seq => Number(document.documentElement.dataset.seq) >= seq"
GONE_ON = "seq => Number(document.documentElement.dataset.seq) > seq"
OFFLINE = "() => document.body.classList.contains('offline')"
MOST_PICKS = 60


def throttle(page: Page, rate: int = 6) -> None:
    """Let the page run as slowly as on a phone that is so many times slower than this machine."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def touch(thing: Locator) -> None:
    """A click with a mouse, or on a phone with a finger, once the page's script listens."""
    thing.page.wait_for_function(SEEN, arg=0, polling=POLLING)
    by_finger = thing.page.viewport_size == PHONE
    (thing.tap if by_finger else thing.click)(force=True)


def play_move(page: Page, seq: int = 0) -> int | None:
    """Pick what is lit, one after the other, until a move can be confirmed.

    The number of an event says what the page must have seen before; that of the move is given back,
    or none if the match is over.
    """
    for _ in range(MOST_PICKS):
        now, step = page.wait_for_function(NEXT_STEP, arg=seq, polling=POLLING).json_value()
        if step == "over":
            return None
        if step == "skip":  # what has been scored is being counted
            page.evaluate("document.querySelector('#skip-scene').click()")
            page.wait_for_function(COUNTED, polling=POLLING)
            continue
        if step == "confirm":
            touch(page.locator("#confirm"))
            return int(now) + 1
        touch(page.locator("#board .can, #panels .can").nth(int(step)))
    raise AssertionError("however much is picked, no move can be confirmed")


def play_own_moves(page: Page, server: Server, table: str) -> int:
    """Play as long as it is this browser's turn; the number of the last event."""
    now = state(page, server, table)
    while now["your_turn"] and now["status"] == "playing":
        play_after(page, now["seq"])
        now = state(page, server, table)
    return int(now["seq"])


def play_after(page: Page, seq: int) -> None:
    """Play one move once the page has seen an event, and wait until it is there."""
    page.wait_for_function(SEEN, arg=play_move(page, seq), polling=POLLING)


def play_to_the_end(page: Page) -> None:
    """Play whatever comes until the page says that the match is over."""
    seq: int | None = 0
    while seq is not None:
        seq = play_move(page, seq)


def wait_for_turn(page: Page, server: Server, table: str) -> dict[str, Any]:
    """The state once it is this browser's turn, or there are no more turns."""

    def now() -> dict[str, Any] | None:
        found = state(page, server, table)
        return found if found["your_turn"] or found["status"] == "over" else None

    return dict(eventually(now))


def play_by_post(page: Page, server: Server, table: str, moves: int) -> dict[str, Any]:
    """Make some moves without the page, to come further; the state in which it is one's turn."""
    rng = random.Random(moves)
    now = wait_for_turn(page, server, table)
    for _ in range(moves):
        if now["status"] == "over":
            break
        good = [choice for choice in now["choices"] if choice.get("note", "").startswith("+")]
        move = rng.choice(good or now["choices"])["move"]
        event = {"kind": "move", "seat": now["to_move"], "seq": now["seq"], "move": move}
        answer = page.request.post(
            f"{server.url}/api/tables/{table}/events",
            data=event | {"id": f"{random.getrandbits(128):032x}"},
        )
        assert answer.ok, answer.text()
        now = answer.json()["state"]
        if not now["your_turn"]:
            now = wait_for_turn(page, server, table)
    return now


def finish(page: Page, server: Server, game: str) -> str:
    """A table of this browser whose match is over."""
    table = new_table(page, server, game, [ME, BOT])
    assert play_by_post(page, server, table, 400)["status"] == "over"
    return table


@dataclass(frozen=True)
class Finished:
    """A match of Neoville that is over, for who only looks at it: all see the same."""

    server: Server
    table: str
    cookies: StorageState

    def open(self, browser: Browser, size: dict[str, int] = DESKTOP) -> Page:
        """Its page, in a browser of its own that has the cookies of who has played it."""
        return open_page(browser, f"{self.server.url}/t/{self.table}", size, self.cookies)
