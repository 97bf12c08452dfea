"""What a server refuses, and the sentences for requests that its models cannot read."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException

from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message
from storeys.kernel.quoting import clipped, short

LONG = 160
"""How many signs of an address are quoted, or of what a library says."""


class SeatError(StoreysError):
    """Something that is refused, maybe for one seat: fields count from 0, sentences from 1."""

    seat: int | None = None


class NotYours(SeatError):  # noqa: N818
    """Something was asked for a seat or a table that belongs to somebody else."""


class NoTable(StoreysError):  # noqa: N818
    """There is no such table or link."""


class BadPost(SeatError):  # noqa: N818
    """A request that cannot be read or is not possible now."""


class Unreadable(StoreysError):  # noqa: N818
    """A table that is kept and cannot be shown: broken, or of other rules."""


class Refused(HTTPException):
    """A request that is refused as such, whatever it asks for; the status says in which way."""

    def __init__(
        self, status: int, message: Message, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, message.id, headers)
        self.message = message


def not_yours(seat: int, kind: type[SeatError] = NotYours) -> SeatError:
    """A seat of somebody else."""
    error = kind(Message("storeys.web.not-yours", seat=seat + 1))
    error.seat = seat
    return error


SHAPES = {
    "string_type": "storeys.not-a-text",
    "list_type": "storeys.not-a-list",
    "dict_type": "storeys.not-a-table",
    "model_type": "storeys.not-a-table",
    "model_attributes_type": "storeys.not-a-table",
}
"""Our sentences for values of the wrong shape, by pydantic's name of the problem."""


def message_of(problem: Mapping[str, Any], kinds: Sequence[str]) -> Message:
    """What pydantic found wrong with a request, in our words; ``kinds`` are those of events."""
    source, *path = problem["loc"]
    if path and path[0] in kinds:  # pydantic names the model that it has chosen
        del path[0]
    problem_type, found = problem["type"], problem["input"]
    if source == "body":
        if problem_type == "missing" and path:
            return Message("storeys.missing", where=_where(path[:-1]), key=path[-1])
        if problem_type == "union_tag_not_found":
            return Message("storeys.missing", where=_where(path), key="kind")
        if problem_type == "union_tag_invalid":
            return _not_one_of([*path, "kind"], kinds, found["kind"])
        if problem_type == "literal_error":
            expected = problem["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
            return _not_one_of(path, expected.split(", "), found)
        if problem_type == "unknown_key":
            return Message("storeys.unknown-key", where=_where(path), **problem["ctx"])
        if problem_type in ("string_too_short", "string_too_long"):
            return Message("storeys.web.client-id")
        if problem_type in SHAPES and path:
            return Message(SHAPES[problem_type], where=_where(path), found=short(found))
    where = clipped(".".join(str(part) for part in problem["loc"]), LONG)
    why = clipped(problem["msg"].removesuffix(" or object to extract fields from"), LONG)
    return Message("storeys.web.unreadable", where=where, why=why)


def _not_one_of(path: Sequence[Any], choices: Sequence[str], found: Any) -> Message:
    where, listed = _where(path), ", ".join(choices)
    return Message("storeys.not-one-of", where=where, choices=listed, found=short(found))


def _where(path: Sequence[Any]) -> str:
    """A place in a request, e.g. ``post.seats[0].kind``."""
    keys = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return clipped("post" + "".join(keys), LONG)
