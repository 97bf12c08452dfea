"""The file of a contest: a line of JSON for the set-up, then one for each game, as they end.

Whoever is stopped in the middle goes on with the same file; a last line that was not written to its
end is cut off.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from storeys.arena.contest import Contest
from storeys.arena.playing import Game
from storeys.kernel.errors import BadOption, StoreysError
from storeys.kernel.messages import Message


class Log:
    """The games of a contest so far, in a file or, without one, in memory alone."""

    def __init__(self, contest: Contest, path: Path | None) -> None:
        self.contest, self.path = contest, path
        self.games: dict[int, Game] = {}
        if path is None:
            return
        try:
            self._open(path)
        except OSError as error:
            raise _unusable(path, error) from None

    def _open(self, path: Path) -> None:
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if not whole:
            path.write_text(_line(self.contest.to_json()), "utf-8")
            return
        if len(whole) < len(content):
            with path.open("rb+") as file:
                file.truncate(len(whole))
        first, *games = self._documents(whole)
        if first != self.contest.to_json():
            raise BadOption(
                Message("storeys.arena.other-file", path=str(path), what=self._apart(first))
            )
        for game in games:
            self.games.setdefault(game["number"], game)

    def _documents(self, content: bytes) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(content.splitlines(), 1):
            try:
                document = json.loads(line)
            except ValueError:
                document = None
            if (
                not isinstance(document, dict)
                or ("arena" if number == 1 else "number") not in document
            ):
                raise StoreysError(
                    Message("storeys.arena.damaged", path=str(self.path), line=number)
                )
            yield document

    def _apart(self, found: dict[str, Any]) -> str:
        """In what two set-ups differ."""
        wanted = self.contest.to_json()
        return ", ".join(key for key in wanted if wanted[key] != found.get(key))

    def add(self, game: Game) -> None:
        """Keep a game; it is in the file when this returns."""
        self.games[game["number"]] = game
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(game))
        except OSError as error:
            raise _unusable(self.path, error) from None


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False) + "\n"


def _unusable(path: Path, error: OSError) -> StoreysError:
    return StoreysError(
        Message("storeys.play.unwritable", path=str(path), why=error.strerror or str(error))
    )
