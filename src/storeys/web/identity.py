"""Who asks: a browser is known by a signed cookie, and no other website can act or decide for it.

The cookie says whose it is and is signed with a secret of the database, so nothing is kept of
visitors who only look.  Browsers send it along when somebody follows a link (SameSite=Lax), but
not with a form that another website posts.  Such a form would come from nobody, and an answer that
set a cookie would take the visitor's own away: so what changes something is refused if it comes
from elsewhere, and a cookie is set only where a valid one would have come along.
"""

import hashlib
import hmac
import re
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from storeys.web import people
from storeys.web.database import Unavailable
from storeys.web.store import Store

COOKIE = "storeys"
VERSION = "1"
YEAR = 365 * 24 * 3600
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods that change nothing."""
OWN_SITE = ("same-origin", "none")
"""What Sec-Fetch-Site says of our own pages, and of addresses that people type."""
PORTS = {"http": 80, "https": 443}
REMEMBERED = 10_000
"""Of how many cookies of an earlier release it is remembered whether somebody is known by them."""
USUAL_COOKIES = 400
"""How long a header with cookies may be to be remembered: ours take half of that."""
SHARED = ("/static/", "/pictures/", "/faces/", "/icons/")
"""What is the same for everybody and may be kept by caches: no cookie belongs there."""
_SECRET_PARTS = re.compile(
    r"(?<=/(?:join|move)/)[^/]+|(?<=/carry/)[^/]+|(?<=/mail/stop/)[^/]+|(?<=/mail/confirm/)[^/]+"
)


@dataclass
class Visitor:
    """Who asks, and which cookie the answer sets: none, a new one, or an empty one to forget it."""

    owner: str
    cookie: str | None = None
    is_known: bool = False
    """Whether they came with a cookie of ours."""


class Identities:
    """The identities of a server: it knows its own cookies, and those of earlier releases."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._secret = people.setting(store, "secret", secrets.token_hex(32)).encode()
        self._known: OrderedDict[str, bool] = OrderedDict()
        self._owners: dict[str, str] = {}  # by signed cookies
        self._lock = threading.Lock()

    def sign(self, purpose: str, text: str) -> str:
        """What only this server can say of a text."""
        return hmac.new(self._secret, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()

    def cookie_of(self, owner: str) -> str:
        """The cookie of somebody."""
        return f"{VERSION}.{owner}.{self.sign('cookie', owner)}"

    async def visitor_of(self, request: Request) -> Visitor:
        """Who asks.  Whom no cookie names is somebody new, with a cookie where one may be set."""
        try:
            owner = await self._owner_of(request.cookies.get(COOKIE))
        except Unavailable:  # The database does not answer: nobody's cookie is replaced now.
            return Visitor(secrets.token_hex(32))
        if owner is not None:
            return Visitor(owner, is_known=True)
        new = secrets.token_hex(32)
        return Visitor(new, self.cookie_of(new) if _may_be_given_a_cookie(request) else None)

    def owner_at_once(self, request: Request) -> str | None:
        """Who asks, if a signed cookie says so: nothing has to be looked up."""
        header = request.headers.get("cookie", "")
        is_usual = len(header) <= USUAL_COOKIES
        return self._signed(_cookie_in(header) if is_usual else request.cookies.get(COOKIE, ""))

    def _signed(self, cookie: str) -> str | None:
        """Whose a cookie is by our signature; those seen last are not worked out again."""
        known = self._owners.get(cookie)
        if known is not None:
            return known
        version, _, rest = cookie.partition(".")
        owner, _, signature = rest.partition(".")
        expected = self.sign("cookie", owner).encode()
        is_ours = hmac.compare_digest(expected, signature.encode("utf-8", "replace"))
        if version != VERSION or not is_ours:
            return None
        with self._lock:
            if len(self._owners) >= REMEMBERED:
                self._owners.clear()
            self._owners[cookie] = owner
        return owner

    async def _owner_of(self, cookie: str | None) -> str | None:
        """Whose a cookie is, if it is one of ours."""
        if not cookie:
            return None
        if cookie.partition(".")[2]:
            return self._signed(cookie)
        # Earlier releases set a random text, and took any: it counts if somebody sits by it.
        owner = hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()
        return owner if await self._is_known(owner) else None

    async def _is_known(self, owner: str) -> bool:
        with self._lock:
            if owner in self._known:
                self._known.move_to_end(owner)
                return self._known[owner]
        found = await run_in_threadpool(people.is_known, self._store, owner)
        with self._lock:
            self._known[owner] = found
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found


@lru_cache(REMEMBERED)
def _cookie_in(header: str) -> str:
    """Our cookie in a header, as requests are read: most browsers send the same one again."""
    return cookie_parser(header).get(COOKIE, "")


# --- requests from elsewhere


def is_foreign(request: Request) -> bool:
    """Whether something is to be changed by a page of another website.

    Programs say nothing of where they come from, and are let in.
    """
    return request.method not in SAFE and not _is_from_here(request.headers)


def _is_from_here(headers: Headers) -> bool:
    """Whether a request comes from our own pages, from a program, or from who typed the address.

    Browsers send Sec-Fetch-Site over TLS and on this machine; elsewhere, and if they are old, they
    send at least Origin with what changes something.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in OWN_SITE
    return origin is None or is_same_host(origin, headers.get("host", ""))


def is_same_host(origin: str, host: str) -> bool:
    """Whether an origin is at a host; where a proxy ends TLS we do not know our own scheme.

    >>> from storeys.web.identity import is_same_host
    >>> is_same_host("https://play.example", "play.example")
    True
    >>> is_same_host("https://play.example:8443", "play.example")
    False
    """
    try:
        theirs, ours = urlsplit(origin), urlsplit(f"//{host}")
        usual = PORTS.get(theirs.scheme)
        there, here = theirs.port or usual, ours.port or usual
    except ValueError:
        return False
    return theirs.hostname is not None and (theirs.hostname, there) == (ours.hostname, here)


def _may_be_given_a_cookie(request: Request) -> bool:
    """Whether a new cookie would take nobody's place.

    Whoever follows a link from elsewhere to a page brings their cookie along.  Nothing else from
    elsewhere does (frames, pictures, forms): it is answered without one.
    """
    headers = request.headers
    if request.url.path.startswith(SHARED):
        return False
    if _is_from_here(headers):
        return True
    follows_link = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return (
        request.method == "GET"
        and follows_link == ("navigate", "document")
        and "prefetch" not in headers.get("sec-purpose", "")
        and COOKIE not in request.cookies
    )


def cookie_header(request: Request, visitor: Visitor) -> str | None:
    """The header Set-Cookie of an answer, if it has one."""
    if visitor.cookie is None:
        return None
    age = YEAR if visitor.cookie else 0
    secure = "; Secure" if request.url.scheme == "https" else ""
    return f"{COOKIE}={visitor.cookie}; HttpOnly; Max-Age={age}; Path=/; SameSite=lax{secure}"


def logged_path(path: str) -> str:
    """A path as it may stand in a log: links that give a seat or an identity are left out.

    >>> from storeys.web.identity import logged_path
    >>> logged_path("/join/vS7hQ2")
    '/join/…'
    """
    return _SECRET_PARTS.sub("…", path)
