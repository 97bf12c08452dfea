"""What people do with what is kept of them: carry it to another browser, take it home, erase it."""

import re
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse

from storeys.kernel.messages import Message
from storeys.web import models, people
from storeys.web.api import SENT, refused
from storeys.web.contents import CheckedRoute, operation_id
from storeys.web.errors import BadPost, NoTable
from storeys.web.exporting import exported
from storeys.web.identity import Visitor
from storeys.web.pages import page
from storeys.web.services import LangDep, Services, ServicesDep
from storeys.web.writers import writes

DAYS = round(people.LASTS / (24 * 3600))


async def visitor_of(request: Request) -> Visitor:
    """Who asks, and which cookie the answer sets."""
    visitor: Visitor = request.state.visitor
    return visitor


VisitorDep = Annotated[Visitor, Depends(visitor_of)]

# --- what is done


def carry(services: Services, visitor: Visitor, phrase: str, merges: bool) -> None:
    """Let a browser be who a phrase carries over; what it has already is theirs too then."""
    owner = _carried(services, phrase)
    if owner != visitor.owner:
        if people.is_known(services.store, visitor.owner):
            if not merges:
                raise BadPost(Message("storeys.web.carry-merges"))
            services.tables.renew(people.merge(services.store, visitor.owner, owner))
        people.end_phrase_soon(services.store, phrase)
        visitor.owner, visitor.cookie = owner, services.identities.cookie_of(owner)


def _carried(services: Services, phrase: str) -> str:
    owner = people.owner_of_phrase(services.store, phrase)
    if owner is None:
        raise NoTable(Message("storeys.web.no-phrase"))
    return owner


def erase(services: Services, visitor: Visitor) -> int:
    """Erase who somebody is, everywhere; at how many tables that was."""
    changed = people.erase(services.store, visitor.owner)
    services.tables.renew(changed)
    visitor.cookie = ""
    return len(changed)


# --- for programs

api = APIRouter(
    prefix="/api/identity", tags=["identity"], responses=refused(422, 429, 500, 503),
    route_class=CheckedRoute, generate_unique_id_function=operation_id,
)  # fmt: skip


@api.post("/phrase", status_code=201, responses=refused(*SENT))
@writes
def make_phrase(visitor: VisitorDep, services: ServicesDep) -> models.PhraseMade:
    """A phrase by which another browser becomes this one; an earlier phrase ends."""
    made = people.make_phrase(services.store, visitor.owner)
    return {"phrase": made.words, "url": f"/carry/{made.words}", "until": made.until}


@api.post("/carry", responses=refused(404, 409, *SENT))
@writes
def carry_over(
    content: Annotated[models.CarryRequest, Body(examples=[{"phrase": "lusab-babad-…"}])],
    visitor: VisitorDep,
    services: ServicesDep,
) -> models.Carried:
    """Become who made a phrase; with `merge`, what this browser has goes over to them too."""
    carry(services, visitor, content.phrase, content.merge)
    return {"tables": len(people.tables_of(services.store, visitor.owner))}


@api.delete("", responses=refused(409, *SENT))
@writes
def erase_identity(visitor: VisitorDep, services: ServicesDep) -> models.Erased:
    """Erase name and owner at all one's tables; where a match is not over a bot plays on."""
    return {"tables": erase(services, visitor)}


@api.get(
    "/export",
    response_class=Response,
    responses={
        200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
def export_tables(visitor: VisitorDep, services: ServicesDep, lang: LangDep) -> Response:
    """All one's matches as a ZIP file: records of those that are over, one's views of others."""
    return StreamingResponse(
        exported(services, visitor.owner, lang), media_type="application/zip",
        headers={
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="storeys.zip"',
        },
    )  # fmt: skip


# --- for people

pages = APIRouter(include_in_schema=False, route_class=CheckedRoute)


@pages.get("/carry", response_class=HTMLResponse)
def offer_phrase(request: Request) -> HTMLResponse:
    """Make a phrase here, or type one of another device."""
    return page(request, "carry.html", days=DAYS)


@pages.post("/carry", response_class=HTMLResponse)
@writes
def show_phrase(
    request: Request,
    visitor: VisitorDep,
    services: ServicesDep,
    phrase: Annotated[str, Form()] = "",
) -> Response:
    """Show a new phrase, or go to what one that was typed does."""
    if phrase:
        words = re.findall("[a-z]+", phrase.lower())
        return RedirectResponse(f"/carry/{'-'.join(words)[:100] or '-'}", status_code=303)
    made = people.make_phrase(services.store, visitor.owner)
    return page(request, "carry.html", days=DAYS, phrase=made.words)


@pages.get("/carry/{phrase}", response_class=HTMLResponse)
def ask_to_carry(
    request: Request, phrase: str, visitor: VisitorDep, services: ServicesDep
) -> HTMLResponse:
    """Say what a phrase does before it does it; programs that look at links do nothing by that."""
    is_me = _carried(services, phrase) == visitor.owner
    has_own = not is_me and people.is_known(services.store, visitor.owner)
    return page(request, "carried.html", is_me=is_me, has_own=has_own)


@pages.post("/carry/{phrase}")
@writes
def carry_here(
    phrase: str, visitor: VisitorDep, services: ServicesDep, merge: Annotated[str, Form()] = ""
) -> RedirectResponse:
    """Become who made a phrase, then go home."""
    carry(services, visitor, phrase, merge == "yes")
    return RedirectResponse("/", status_code=303)


@pages.get("/erase", response_class=HTMLResponse)
def ask_to_erase(request: Request) -> HTMLResponse:
    """Say what is erased before it is."""
    return page(request, "erase.html", erased=False)


@pages.post("/erase", response_class=HTMLResponse)
@writes
def erase_here(
    request: Request, visitor: VisitorDep, services: ServicesDep, sure: Annotated[str, Form()] = ""
) -> HTMLResponse:
    """Erase who somebody is, if they are sure."""
    if sure == "yes":
        erase(services, visitor)
    return page(request, "erase.html", erased=sure == "yes")
