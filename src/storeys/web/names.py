"""What a seat is called on a page: its own name, or in the reader's language where it has none."""

import re

from storeys.bots import bot_names
from storeys.kernel.messages import said
from storeys.match import shown_name
from storeys.web.store import SeatFacts


def name_of_bot(bot: str, nth: int) -> str:
    """The name that a table keeps for the nth bot of a kind: the second of them is called 2."""
    return bot if nth == 1 else f"{bot} {nth}"


def called(seat: SeatFacts, lang: str) -> str:
    """A seat's name as a page shows it; people who sit there are never taken for a bot."""
    found = re.fullmatch(r"(\S+)( \d+)?", seat.name)
    if seat.owner is None and found is not None and found[1] in bot_names():
        return said(f"storeys.bot.{found[1]}.label", found[1], lang) + (found[2] or "")
    return shown_name(seat.name, seat.seat, lang)
