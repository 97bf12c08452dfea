"""Write down what the server answers: `python -m tests.make_snapshots`.

`test_snapshots` compares: an answer may come to carry more, never less.  Tables have fixed seeds
and ids; long texts and lists are kept as digests, so that the files stay small.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from starlette.testclient import TestClient

import storeys
from storeys.match import Match
from storeys.web.app import create_app
from storeys.web.identity import COOKIE
from storeys.web.store import SeatFacts, Store
from storeys.web.workers import Workers

FOLDER = Path(__file__).parent / "snapshots"
HOST, GUEST, SPECTATOR = "the host's cookie", "the guest's cookie", "a spectator's cookie"
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "manhattan": [{"players": 2}, {"players": 3}],
    "cloud-city": [{"players": 2, "city": "3x3", "requests": ["circuits"]}, {"players": 3}],
    "neoville": [{"players": 2}, {"players": 3}],
}
PLIES = (0, 13, None)
"""After how many moves tables are looked at; None: when the match is over."""
CHOICE = ("move", "picks", "label", "note")
ENTRY = ("ply", "seat", "text")
PART = ("rule", "label", "points", "highlight")


# --- tables


def played(game: str, options: dict[str, Any], ply: int | None) -> Match:
    """A match with a fixed seed after so many moves."""
    match = storeys.new(game, seed=2026, **options)
    while match.to_move is not None and match.moves_made != ply:
        legal = match.legal_moves
        match.push(legal[(7 * match.moves_made + 3) % len(legal)])
    return match


def keep_tables(store: Store) -> None:
    """For each game: two people at one screen, and a host, a guest and a bot at another table."""
    for game, (of_two, of_three) in OPTIONS.items():
        for ply in PLIES:
            match = played(game, of_two, ply)
            seats = [person(0, "Ada"), person(1, "seat 1")]
            store.create(
                table_id(game, "here", ply), "match", match.record(), seats, host=own(HOST)
            )
            match = played(game, of_three, ply)
            seats = [person(0, "Ada"), person(1, "Ben", GUEST), bot(2)]
            store.create(
                table_id(game, "apart", ply), "match", match.record(), seats, host=own(HOST)
            )
        seats = [person(0, "Ada"), SeatFacts(1, "open", "seat 1", token=f"a-token-{game}")]
        record = played(game, of_two, 0).record()
        store.create(table_id(game, "waiting", 0), "match", record, seats, host=own(HOST))


def own(cookie: str) -> str:
    """What the store keeps of a cookie."""
    return hashlib.sha256(cookie.encode()).hexdigest()


def person(seat: int, name: str, cookie: str = HOST) -> SeatFacts:
    return SeatFacts(seat, "human", name, owner=own(cookie))


def bot(seat: int) -> SeatFacts:
    return SeatFacts(seat, "bot", "builder", bot="builder")


def table_id(game: str, how: str, ply: int | None) -> str:
    return f"{game}-{how}-{'over' if ply is None else ply}"


# --- asking


class Asking:
    """Browsers at a server, known by their cookies."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def answer(self, cookie: str, address: str, content: Any = None, lang: str = "en") -> Any:
        """The JSON of an answer, with its status where it is no success."""
        self.client.cookies.clear()
        headers = {"cookie": f'{COOKIE}="{cookie}"', "accept-language": lang}
        how = "GET" if content is None else "POST"
        answer = self.client.request(how, address, json=content, headers=headers)
        return (
            answer.json() if answer.is_success else {"status": answer.status_code, **answer.json()}
        )


@contextmanager
def server() -> Iterator[Asking]:
    """A server with all tables at which no bot moves."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'web.db'}"
        store = Store(url)
        keep_tables(store)
        store.close()
        with (
            patch.object(Workers, "start", lambda _: None),
            patch.object(Workers, "consider", lambda *_: None),
            patch.object(Workers, "resume", lambda *_: None),
            TestClient(create_app(url, workers=1, pace=0)) as client,
        ):
            yield Asking(client)


LOOKS = {
    "here": [
        (HOST, ""),
        (HOST, "seat=0"),
        (HOST, "seat=1&lang=de"),
        (HOST, "seat=0&view=skyline&turn=1&theme=dark"),
        (HOST, "seat=0&ply=5&theme=colour-blind"),
        (HOST, "seat=0&part=0.0"),
        (HOST, "seat=1&part=1.2&lang=nl"),
    ],
    "apart": [(HOST, ""), (GUEST, "lang=de"), (SPECTATOR, ""), (SPECTATOR, "view=skyline&ply=5")],
}
"""Who looks at a table, and how."""


def states_of(asking: Asking, game: str) -> dict[str, Any]:
    """What browsers see of the tables of a game."""
    found = {}
    for how, looks in LOOKS.items():
        tables = [table_id(game, how, ply) for ply in PLIES] + [table_id(game, "waiting", 0)]
        for table in tables:
            for cookie, look in looks:
                answer = asking.answer(cookie, f"/api/tables/{table}?{look}")
                found[f"{table}?{look} {cookie}"] = shortened(answer)
    return found


def posts_of(asking: Asking, game: str) -> dict[str, Any]:
    """What posts are answered, and what they lead to."""
    table, found = table_id(game, "apart", 0), {}
    address = f"/api/tables/{table}/events"
    for kind, more in (
        ("rename", {"name": "Eva"}),
        ("take-over", {"bot": "random"}),
        ("return", {}),
        ("take-back", {}),
        ("move", {"move": "jump"}),
        ("rematch", {}),
        ("dance", {}),
    ):
        seq = asking.answer(HOST, f"/api/tables/{table}")["seq"]
        event = {"seq": seq, "id": f"post-{kind}", "seat": 0, "kind": kind} | more
        found[f"{table} {kind}"] = asking.answer(HOST, address, event, "de")
        found[f"{table} {kind} again"] = asking.answer(HOST, address, event)
        found[f"{table} {kind} by a guest"] = asking.answer(
            GUEST, address, event | {"id": "another id"}
        )
    found[f"{table} after posts"] = shortened(asking.answer(GUEST, f"/api/tables/{table}"))
    for address in (
        f"{table}/view?seat=0",
        f"{table}/view",
        f"{table}/record",
        f"{table}/view?seat=1",
    ):
        found[address] = asking.answer(HOST, f"/api/tables/{address}")
    over = table_id(game, "apart", None)
    found[f"{over}/record"] = asking.answer(HOST, f"/api/tables/{over}/record")
    return found


def server_facts(asking: Asking) -> dict[str, Any]:
    """What is said of no game alone."""
    found = {
        f"/api/games in {lang}": asking.answer(HOST, "/api/games", lang=lang)
        for lang in ("en", "de", "nl")
    }
    mine = asking.answer(GUEST, "/api/tables", lang="de")
    for table in mine:
        del table["when"], table["last"]
    found["/api/tables"] = sorted(mine, key=lambda table: str(table["id"]))
    found["/api/tables/nothing"] = asking.answer(HOST, "/api/tables/nothing", lang="nl")
    for content in BAD_TABLES:
        found[f"POST /api/tables {content}"] = asking.answer(HOST, "/api/tables", content)
    found["openapi"] = outline(asking.answer(HOST, "/openapi.json"))
    return found


BAD_TABLES: list[Any] = [
    {},
    [],
    {"game": "neoville"},
    {"game": 3, "seats": [{"kind": "me"}, {"kind": "me"}]},
    {"game": "go", "seats": [{"kind": "me"}, {"kind": "me"}]},
    {"game": "neoville", "seats": 3},
    {"game": "neoville", "seats": ["me"]},
    {"game": "neoville", "seats": []},
    {"game": "neoville", "seats": [{"kind": "cat"}, {"kind": "me"}]},
    {"game": "neoville", "seats": [{"kind": "me", "hat": 1}, {"kind": "me"}]},
    {"game": "neoville", "seats": [{"kind": "bot", "bot": "nobody"}, {"kind": "me"}]},
    {"game": "neoville", "seats": [{"kind": "me", "name": 50 * "x"}, {"kind": "me"}]},
    {"game": "neoville", "seats": [{"kind": "me"}, {"kind": "me"}], "players": 3},
    {"game": "neoville", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {"hue": 1}},
    {"game": "neoville", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {"components": "x"}},
    {"game": "neoville", "seats": [{"kind": "me"}, {"kind": "me"}], "more": 1},
]


# --- what is kept of answers


def shortened(state: dict[str, Any]) -> dict[str, Any]:
    """A state with digests for what is long."""
    if "areas" not in state:
        return state
    for drawing in [*state["areas"], state["defs"]]:
        drawing["body"] = "as its hash" if named_by_hash(drawing) else digest(drawing["body"])
    scores = [score | {"parts": listed(score["parts"], PART)} for score in state["scores"]]
    short = {"choices": listed(state["choices"], CHOICE), "log": listed(state["log"], ENTRY)}
    return state | short | {"scores": scores}


def named_by_hash(drawing: dict[str, Any]) -> bool:
    """Whether the hash of a drawing is that of its body."""
    return bool(hashlib.sha256(drawing["body"].encode()).hexdigest()[:16] == drawing["hash"])


def listed(entries: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[str, Any]:
    """Many entries: how many, the last, and a digest of what they say under these keys."""
    known = [{key: entry[key] for key in keys if key in entry} for entry in entries]
    return {"count": len(known), "last": known[-1:], "digest": digest(known)}


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def outline(description: dict[str, Any]) -> dict[str, Any]:
    """The addresses of an OpenAPI description: methods, parameters, answers."""
    return {
        path: {
            method: {
                "tags": operation.get("tags"),
                "parameters": {
                    one["name"]: {
                        "in": one["in"],
                        "required": one["required"],
                        "default": one["schema"].get("default"),
                    }
                    for one in operation.get("parameters", [])
                },
                "body": sorted(operation.get("requestBody", {}).get("content", {})),
                "successes": [status for status in operation["responses"] if status < "400"],
            }
            for method, operation in methods.items()
        }
        for path, methods in description["paths"].items()
    }


def snapshots() -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that is compared, by the name of its file."""
    with server() as asking:
        yield "server", server_facts(asking)
        for game in OPTIONS:
            yield game, states_of(asking, game) | posts_of(asking, game)


def main() -> None:
    """One file a game and one for the server, a line an answer."""
    for name, answers in snapshots():
        lines = [f"{dumped(key)}: {dumped(answer)}" for key, answer in answers.items()]
        (FOLDER / f"web-{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


if __name__ == "__main__":
    main()
