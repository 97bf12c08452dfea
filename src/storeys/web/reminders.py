"""The page on which people ask for reminders by mail, confirm their address, and take it away."""

import math
import threading
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from storeys.kernel.messages import Message
from storeys.web.buckets import Buckets, Rate
from storeys.web.contents import CheckedRoute
from storeys.web.errors import NoTable, Refused
from storeys.web.pages import page
from storeys.web.rates import address_of
from storeys.web.services import LangDep, OwnerDep, ServicesDep
from storeys.web.writers import writes

RATE = Rate(at_once=5, per_minute=1)
"""How often addresses may be given from one place."""


async def check_mailing(services: ServicesDep) -> None:
    """Without a mail server there are no such pages."""
    if not services.mailing.is_on:
        raise HTTPException(404)


router = APIRouter(
    prefix="/mail", include_in_schema=False, route_class=CheckedRoute,
    dependencies=[Depends(check_mailing)],
)  # fmt: skip
_given, _lock = Buckets(RATE), threading.Lock()


@router.get("", response_class=HTMLResponse)
def ask_for_address(request: Request, owner: OwnerDep, services: ServicesDep) -> HTMLResponse:
    """Say what mails are sent, and ask where to."""
    return page(request, "mail.html", known=services.mailing.known(owner), step="ask")


@router.post("")
@writes
def give_address(
    request: Request,
    owner: OwnerDep,
    lang: LangDep,
    services: ServicesDep,
    address: Annotated[str, Form()] = "",
) -> RedirectResponse:
    """Send a link to the address."""
    with _lock:
        wait = math.ceil(_given.take(address_of(request.scope)))
    if wait:
        raise Refused(429, Message("storeys.web.too-many", n=wait), {"Retry-After": str(wait)})
    services.mailing.ask(owner, address.strip(), lang)
    return RedirectResponse("/mail", status_code=303)


@router.post("/remove")
@writes
def take_away(owner: OwnerDep, services: ServicesDep) -> RedirectResponse:
    """Forget one's own address."""
    services.mailing.remove(owner)
    return RedirectResponse("/mail", status_code=303)


@router.get("/confirm/{token}", response_class=HTMLResponse)
def ask_to_confirm(request: Request, token: str) -> HTMLResponse:
    """A button does it: programs that look at links in mails do nothing by that."""
    return page(request, "mail.html", step="confirm")


@router.post("/confirm/{token}", response_class=HTMLResponse)
@writes
def confirm(request: Request, token: str, services: ServicesDep) -> HTMLResponse:
    """From now on mails are sent there."""
    if not services.mailing.confirm(token):
        raise NoTable(Message("storeys.web.used-link"))
    return page(request, "mail.html", step="confirmed")


@router.get("/stop/{token}", response_class=HTMLResponse)
def ask_to_stop(request: Request, token: str) -> HTMLResponse:
    """The same for ending all mails."""
    return page(request, "mail.html", step="stop")


@router.post("/stop/{token}", response_class=HTMLResponse)
@writes
def stop(request: Request, token: str, services: ServicesDep) -> HTMLResponse:
    """Forget the address; mail programs ask for this too (RFC 8058)."""
    services.mailing.stop_by(token)
    return page(request, "mail.html", step="stopped")
