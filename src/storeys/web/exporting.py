"""All matches of somebody in one file: records of those that are over, own views of the others."""

import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from storeys.web import people
from storeys.web.errors import NoTable, Unreadable
from storeys.web.listing import table_facts
from storeys.web.mailing import address_of
from storeys.web.services import Services
from storeys.web.table import Snapshot

LIST, MAIL = "tables.json", "reminders.json"


class _Chunks:
    """A file that is only written, and taken away piece by piece while it grows."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Add bytes."""
        self._kept.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""

    def take(self) -> bytes:
        """What was written since the last time."""
        taken, self._kept = b"".join(self._kept), []
        return taken


def exported(services: Services, owner: str, lang: str) -> Iterator[bytes]:
    """A ZIP file in pieces: a list of the tables, and a file for each record or view."""
    chunks, listed = _Chunks(), list[dict[str, Any]]()
    with ZipFile(chunks, "w", ZIP_DEFLATED) as archive:
        for table in people.tables_of(services.store, owner):
            try:
                found = services.tables.get(table)
            except NoTable:  # deleted meanwhile
                continue
            except Unreadable as error:
                listed.append({"id": table, "problem": error.text(lang)})
                continue
            files = files_of(found.snapshot, owner)
            for name, content in files.items():
                archive.writestr(name, _text(content))
            listed.append({**table_facts(found, owner, lang), "files": list(files)})
            yield chunks.take()
        if (mail := address_of(services.store, owner)) is not None:
            kept = {"address": mail.address, "language": mail.lang, "confirmed": mail.confirmed}
            archive.writestr(MAIL, _text(kept))
        archive.writestr(LIST, _text(listed))
    yield chunks.take()


def files_of(table: Snapshot, owner: str) -> dict[str, Any]:
    """What somebody may know of a table: its record once it is over, until then their views."""
    name = f"{table.match.game.name}-{table.id}"
    if table.status == "over":
        return {f"records/{name}.json": table.match.record()}
    mine = table.seats_of(owner)
    views = {f"views/{name}-seat-{seat}.json": table.match.view(seat) for seat in mine}
    return views or {f"views/{name}.json": table.match.view(None)}


def _text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
