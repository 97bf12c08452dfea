"""People at tables: each posts, remembers what it was told, and follows the stream."""

import json
import random
import secrets
import threading
from collections.abc import Callable
from typing import Any

import httpx2

from tests.attacks.ledger import Ledger, Told
from tests.attacks.scale import PATIENCE, eventually

ME, HERE = {"kind": "me"}, {"kind": "here"}
BOT, FRIEND = {"kind": "bot", "bot": "random"}, {"kind": "friend"}
BROKEN = (httpx2.TransportError, httpx2.RemoteProtocolError)
GONE_ON = 1.0
"""Seconds after which somebody who hears nothing asks."""


class Gone(Exception):  # noqa: N818
    """The attack is over: nobody goes on."""


def browser_at(url: str) -> httpx2.Client:
    """A browser of its own; it speaks plain HTTP, so that no certificates need to be read."""
    return httpx2.Client(base_url=url, timeout=PATIENCE, verify=False, trust_env=False)


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, url: str, ledger: Ledger, seed: int = 0) -> None:
        self.url, self.ledger, self.dice = url, ledger, random.Random(seed)
        self.web = browser_at(url)
        self.leaving = threading.Event()
        self.sent_again = 0
        """How many posts were sent more than once, since nobody answered."""
        self.unavailable = 0
        """How often the server said that it cannot do something now."""
        self._seen: dict[str, int] = {}
        self._news = threading.Condition()

    def close(self) -> None:
        """Leave."""
        self.leaving.set()
        self.web.close()

    # --- asking

    def ask(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """What the server answers, however long it is away."""
        while True:
            try:
                answer = self.web.request(method, path, **more)
            except BROKEN:
                self.sent_again += 1
            else:
                if answer.status_code < 500:
                    return answer
                assert answer.status_code == 503, f"{method} {path}: {answer.text}"
                assert answer.json()["error"], "a refusal says why"
                self.unavailable += 1
            if self.leaving.wait(0.05):
                raise Gone

    def new_table(self, game: str, *seats: dict[str, str]) -> str:
        """Set up a table."""
        content = {"game": game, "seats": list(seats)}
        answer = self.ask("POST", "/api/tables", json=content)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"])

    def state(self, table: str, **query: Any) -> dict[str, Any]:
        """What can be seen of a table; it never goes back behind what was told before."""
        known = self._seen.get(table, 0)
        answer = self.ask("GET", f"/api/tables/{table}", params=query)
        assert answer.status_code == 200, answer.text
        return self._saw(answer.json(), known)

    def _saw(self, state: dict[str, Any], least: int) -> dict[str, Any]:
        table, seq = state["table"], state["seq"]
        assert seq >= least, f"{table}: event {least} was told of, and now {seq} is the last"
        self._seen[table] = max(seq, self._seen.get(table, 0))
        self.ledger.see(state)
        return state

    # --- doing

    def post(self, table: str, seq: int, seat: int, kind: str, **more: Any) -> int | None:
        """Do something; the number it became, or None if it was refused."""
        content = {"seq": seq, "id": secrets.token_hex(8), "seat": seat, "kind": kind, **more}
        return self.send(table, content)

    def send(self, table: str, content: dict[str, Any]) -> int | None:
        """Send a post until it is answered, and note what was said."""
        answer = self.ask("POST", f"/api/tables/{table}/events", json=content)
        return self.note(table, content, answer)

    def note(self, table: str, content: dict[str, Any], answer: httpx2.Response) -> int | None:
        """Remember what a post was answered with."""
        about = (table, content["id"], content["kind"], content["seat"])
        if answer.status_code != 200:
            assert answer.status_code in (403, 404, 409, 422), answer.text
            assert answer.json()["error"], "a refusal says why"
            with self.ledger.lock:
                self.ledger.refused.append(Told(*about, content["seq"]))
            return None
        told = answer.json()
        with self.ledger.lock:
            moved = content.get("move")
            self.ledger.acknowledged.append(Told(*about, told["seq"], moved))
        self._saw(told["state"], told["seq"])
        return int(told["seq"])

    # --- playing

    def play_on(self, table: str) -> bool:
        """Do something at a table if it can be done now; False once the match is over."""
        seen = self.state(table)
        if seen["status"] == "over":
            return False
        mine = seen["mine"][0]
        if self.dice.random() < 0.1:
            self.post(table, seen["seq"], mine, "rename", name=f"Ada {self.dice.random()}")
        elif seen["can_take_back"] and self.dice.random() < 0.2:
            self.post(table, seen["seq"], mine, "take-back")
        elif seen["your_turn"]:
            move = self.dice.choice(seen["choices"])["move"]
            content = {"seq": seen["seq"], "id": secrets.token_hex(8), "seat": mine, "kind": "move"}
            content["move"] = move
            seq = self.send(table, content)
            if seq is not None and self.dice.random() < 0.2:
                assert self.send(table, content) == seq, f"{table}: sent again, it counts twice"
        else:
            self.wait_for_news(table, seen["seq"])
        return True

    def wait_for_news(self, table: str, seq: int) -> None:
        """Until the stream tells of more, or for a while."""
        with self._news:
            self._news.wait_for(lambda: self._seen.get(table, 0) > seq, GONE_ON)

    # --- listening

    def follow(self, tables: Callable[[], list[str]]) -> None:
        """Listen to the stream of one's tables until one leaves; open it again where it ends."""
        with browser_at(self.url) as web:
            web.cookies.update(self.web.cookies)
            web.timeout = httpx2.Timeout(PATIENCE, read=GONE_ON)  # Who leaves is not kept waiting.
            while not self.leaving.is_set():
                try:
                    self._listen(web, tables)
                except BROKEN:
                    self.leaving.wait(0.05)

    def _listen(self, web: httpx2.Client, tables: Callable[[], list[str]]) -> None:
        watched = tables()
        with web.stream("GET", "/api/stream", params={"tables": ",".join(watched)}) as answer:
            for line in answer.iter_lines():
                if self.leaving.is_set() or tables() != watched:
                    return
                if line.startswith("data: "):
                    self._hear(json.loads(line.removeprefix("data: ")))

    def _hear(self, news: dict[str, Any]) -> None:
        assert set(news) == {"table", "seq"}, f"the stream tells more: {news}"
        with self.ledger.lock:
            self.ledger.heard.add((news["table"], news["seq"]))
        with self._news:
            known = self._seen.get(news["table"], 0)
            self._seen[news["table"]] = max(known, news["seq"])
            self._news.notify_all()


class Crowd:
    """Several people who play, each at a table of their own with bots, in threads of their own."""

    def __init__(self, url: str, people: int, game: str = "cloud-city", seed: int = 0) -> None:
        self.ledger = Ledger()
        self.host = Person(url, self.ledger, seed)
        """Somebody who sets tables up for others."""
        self.people = [Person(url, self.ledger, seed + nth) for nth in range(people)]
        self.tables: list[list[str]] = [[] for _ in self.people]
        self.matches = 0
        """How many matches were played to their end."""
        self._game = game
        self.errors: list[BaseException] = []
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Let everybody sit down and play."""
        for nth in range(len(self.people)):
            self._threads.append(threading.Thread(target=self._play, args=(nth,), daemon=True))
            self._threads.append(threading.Thread(target=self._follow, args=(nth,), daemon=True))
        for thread in self._threads:
            thread.start()

    def _play(self, nth: int) -> None:
        person, tables = self.people[nth], self.tables[nth]
        try:
            while True:
                tables.append(person.new_table(self._game, ME, BOT))
                while person.play_on(tables[-1]):
                    if person.leaving.is_set():
                        return
                self.matches += 1
        except Gone:
            return
        except BaseException as error:
            self.errors.append(error)

    def _follow(self, nth: int) -> None:
        person = self.people[nth]
        try:
            eventually(lambda: self.tables[nth] or person.leaving.is_set(), "somebody sits down")
            person.follow(lambda: self.tables[nth][-1:])
        except BaseException as error:
            self.errors.append(error)

    @property
    def acknowledged(self) -> int:
        """How many posts were acknowledged and not yet looked at."""
        return len(self.ledger.acknowledged)

    @property
    def at_tables(self) -> list[str]:
        """The tables at which people sit now."""
        return [tables[-1] for tables in self.tables if tables]

    def wait_for_posts(self, least: int) -> None:
        """Until so many posts were acknowledged that nobody has looked at."""
        self.wait_for(lambda: self.acknowledged >= least, "people go on")

    @property
    def refusals(self) -> int:
        """How often people were told that something cannot be done now."""
        return sum(person.unavailable for person in self.people)

    def wait_for_refusals(self, least: int) -> None:
        """Until people were told so often that something cannot be done now."""
        self.wait_for(lambda: self.refusals >= least, "people are told that it cannot be done now")

    def wait_for(self, check: Callable[[], Any], what: str, patience: float = PATIENCE) -> None:
        """Until something is so, unless somebody has found a fault."""
        eventually(lambda: self.errors or check(), what, patience)
        self.check()

    def check(self) -> None:
        """Nobody has found a fault."""
        if self.errors:
            raise self.errors[0]

    def leave(self) -> None:
        """Everybody leaves."""
        for person in self.people:
            person.leaving.set()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "somebody still waits for an answer"
        for person in (self.host, *self.people):
            person.close()
