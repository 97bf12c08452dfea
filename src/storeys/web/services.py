"""What the endpoints of a server depend on: its services, and who asks."""

import hashlib
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from prometheus_client import CollectorRegistry

from storeys.kernel.drawing.scene import Drawn
from storeys.kernel.errors import StoreysError
from storeys.web.compiling import Compiling
from storeys.web.live import Live
from storeys.web.news import News
from storeys.web.readiness import Readiness
from storeys.web.store import Store
from storeys.web.table import Table
from storeys.web.tables import Tables
from storeys.web.workers import Workers
from storeys.web.writers import Writers

AREAS_KEPT = 4000


class AreaCache(OrderedDict[Any, Drawn]):
    """The areas drawn last; requests in many threads share it."""

    def __init__(self, most: int = AREAS_KEPT) -> None:
        super().__init__()
        self._most, self._adding = most, threading.Lock()

    def __setitem__(self, key: Any, value: Drawn) -> None:
        with self._adding:
            super().__setitem__(key, value)
            while len(self) > self._most:
                self.popitem(last=False)


@dataclass
class Services:
    """What all requests share."""

    store: Store
    tables: Tables
    live: Live
    workers: Workers
    compiling: Compiling
    areas: AreaCache
    registry: CollectorRegistry
    writers: Writers
    readiness: Readiness
    news: News

    def note_played(self, table: str, seq: int) -> None:
        """Something happens at a table: its game is compiled before others."""
        if self.compiling.is_busy:
            with suppress(StoreysError):  # It has been deleted.
                self.compiling.prefer(self.tables.get(table).match.game.name)

    def table_for(self, table: str, owner: str) -> Table:
        """A table that a browser asks for; who sits there has been seen there."""
        found = self.tables.get(table)
        if found.seats_of(owner):
            self.tables.presence.seen(table, owner)
        return found


def owner_of(request: Request) -> str:
    """The browser that asks: a hash of its cookie."""
    return hashlib.sha256(str(request.state.cookie).encode()).hexdigest()


def services_of(request: Request) -> Services:
    """The services of the server that is asked."""
    services: Services = request.app.state.services
    return services


OwnerDep = Annotated[str, Depends(owner_of)]
ServicesDep = Annotated[Services, Depends(services_of)]
