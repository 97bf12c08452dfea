"""What is kept of people: who is known, and the secret by which cookies are signed."""

from contextlib import suppress

from sqlalchemy import exists, insert, or_, select
from sqlalchemy.exc import IntegrityError

from storeys.web.store import SEATS, SETTINGS, TABLES, Store


def setting(store: Store, name: str, first: str) -> str:
    """A setting on which all server processes agree: whoever comes first says what it is."""
    known = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
    with store.reading() as connection:
        found = connection.scalar(known)
    if found is None:
        with suppress(IntegrityError), store.writing() as connection:  # Another came first.
            connection.execute(insert(SETTINGS).values(name=name, value=first))
        with store.reading() as connection:
            found = connection.scalar(known)
    return str(found)


def is_known(store: Store, owner: str) -> bool:
    """Whether somebody sits at a table or has set one up."""
    sits, hosts = exists().where(SEATS.c.owner == owner), exists().where(TABLES.c.host == owner)
    with store.reading() as connection:
        return bool(connection.scalar(select(or_(sits, hosts))))
