"""Who sits where: the seats of a new table, and what they are called."""

import re
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from storeys.bots import SUBSTITUTE, bot_names
from storeys.kernel.errors import BadOption
from storeys.kernel.messages import Message, said
from storeys.kernel.reading import Node
from storeys.match import default_name, shown_name
from storeys.web.errors import BadPost
from storeys.web.faces import COLOURS, FACES, ROOFS
from storeys.web.models import SeatRequest
from storeys.web.store import SeatFacts

MOST_LETTERS = 40


def seats_for(requests: Sequence[SeatRequest], owner: str) -> list[SeatFacts]:
    """The seats of a new table as a browser asks for them."""
    of_kind: Counter[str] = Counter()
    seats = []
    for nth, request in enumerate(requests):
        name = checked_name(request.name) if request.name else None
        if request.bot is not None:
            Node(request.bot, f"post.seats[{nth}].bot", BadPost).text()
        if request.kind == "bot":
            bot = checked_bot(request.bot, f"post.seats[{nth}].bot")
            of_kind[bot] += 1
            named = name or (bot if of_kind[bot] == 1 else f"{bot} {of_kind[bot]}")
            seats.append(SeatFacts(nth, "bot", named, bot))
        elif request.kind == "friend":
            token = secrets.token_urlsafe(18)
            seats.append(SeatFacts(nth, "open", name or default_name(nth), token=token))
        else:
            face = checked_face(request.face, f"post.seats[{nth}].face")
            named = name or default_name(nth)
            seats.append(SeatFacts(nth, "human", named, owner=owner, face=face))
    return seats


def seated_again(seats: Sequence[SeatFacts], moved_on: int) -> list[SeatFacts]:
    """The seats of a rematch: all move on by so many, and who let a bot take over plays again."""
    return [_again(seats[(nth - moved_on) % len(seats)], nth) for nth in range(len(seats))]


def _again(seat: SeatFacts, nth: int) -> SeatFacts:
    name = default_name(nth) if seat.name == default_name(seat.seat) else seat.name
    again = replace(seat, seat=nth, name=name, token=None, used=None)
    return again if seat.owner is None else replace(again, kind="human", bot=None)


def checked_face(name: Any, where: str = "post.face") -> str | None:
    """A face that there is, or none."""
    if name is None:
        return None
    if name not in FACES:
        roofs, colours = ", ".join(ROOFS), ", ".join(COLOURS)
        raise BadPost(Message("storeys.web.no-face", where=where, roofs=roofs, colours=colours))
    return str(name)


def checked_name(name: str) -> str:
    """A name as it may stand on a page."""
    text = " ".join("".join(sign for sign in name if sign.isprintable()).split())
    if not text or len(text) > MOST_LETTERS:
        raise BadOption(Message("storeys.web.name", n=MOST_LETTERS))
    return text


def checked_bot(name: str | None, where: str = "post.bot") -> str:
    """A bot that there is; the usual one where none is named."""
    return SUBSTITUTE if name is None else str(Node(name, where, BadPost).one_of(bot_names()))


def called(seat: SeatFacts, lang: str) -> str:
    """A seat's name as a page shows it; people who sit there are never taken for a bot."""
    found = re.fullmatch(r"(\S+)( \d+)?", seat.name)
    if seat.owner is None and found is not None and found[1] in bot_names():
        return said(f"storeys.bot.{found[1]}.label", found[1], lang) + (found[2] or "")
    return shown_name(seat.name, seat.seat, lang)
