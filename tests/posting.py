"""What tests ask tables for, read as the server reads it."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from storeys.web.api import KINDS
from storeys.web.errors import BadPost, message_of
from storeys.web.handlers import handle_event
from storeys.web.models import EventRequest, TableEvent, TableRequest
from storeys.web.tables import Tables

EVENT: TypeAdapter[EventRequest] = TypeAdapter(TableEvent)


def table_request(**content: Any) -> TableRequest:
    """A table that is asked for."""
    try:
        return TableRequest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadPost(message_of({**first, "loc": ("body", *first["loc"])}, KINDS)) from None


def event_request(**content: Any) -> EventRequest:
    """An event that is posted."""
    return EVENT.validate_python(content)


def post(tables: Tables, table: str, owner: str, event: EventRequest) -> int:
    """Let a browser do something at a table; the number of the event that it became."""
    return handle_event(tables, tables.get(table), owner, event)
