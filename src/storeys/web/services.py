"""What the endpoints of a server depend on: its services, and who asks."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from prometheus_client import CollectorRegistry

from storeys.kernel.errors import StoreysError
from storeys.web.clocks import Clocks
from storeys.web.compiling import Compiling
from storeys.web.identity import Identities, Visitor
from storeys.web.language import language_of
from storeys.web.limits import Limits
from storeys.web.live import Live
from storeys.web.mailing import Mailing
from storeys.web.news import News
from storeys.web.reactions import Reactions
from storeys.web.readiness import Readiness
from storeys.web.states import AreaCache
from storeys.web.store import Store
from storeys.web.sweeping import Sweeping
from storeys.web.table import Snapshot
from storeys.web.tables import Tables
from storeys.web.workers import Workers
from storeys.web.writers import Writers


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
    identities: Identities
    limits: Limits
    sweeping: Sweeping
    writers: Writers
    readiness: Readiness
    news: News
    clocks: Clocks
    reactions: Reactions
    mailing: Mailing

    def note_played(self, table: str, seq: int) -> None:
        """Something happens at a table: its game is compiled before others."""
        if self.compiling.is_busy:
            with suppress(StoreysError):  # It has been deleted.
                self.compiling.prefer(self.tables.get(table).match.game.name)

    def note_asked(self, table: Snapshot, owner: str) -> None:
        """A browser asks for a table; who sits there has been seen there."""
        self.sweeping.note_look(table.id)
        if table.seats_of(owner):
            self.tables.presence.seen(table.id, owner)


def owner_of(request: Request) -> str:
    """The browser that asks."""
    visitor: Visitor = request.state.visitor
    return visitor.owner


def services_of(request: Request) -> Services:
    """The services of the server that is asked."""
    services: Services = request.app.state.services
    return services


# FastAPI takes functions to a thread, which costs more than these do; coroutines it does not.


async def _owner(request: Request) -> str:
    return owner_of(request)


async def _services(request: Request) -> Services:
    return services_of(request)


async def _language(request: Request) -> str:
    return language_of(request)


OwnerDep = Annotated[str, Depends(_owner)]
ServicesDep = Annotated[Services, Depends(_services)]
LangDep = Annotated[str, Depends(_language)]
