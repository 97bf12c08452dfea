"""The database itself: made at once where there is none, migrated only where it is old."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, insert, inspect, select, text

from storeys.web.database import REVISIONS, alembic_config
from storeys.web.store import SETTINGS, Store

LOADED = """
import sys
from storeys.web.app import create_app

create_app(sys.argv[1]).state.services.store.close()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"alembic", "mako"}))
"""


def schema_of(engine: Engine) -> dict[str, Any]:
    """All that can be told of the tables of a database, whatever made them."""
    looked = inspect(engine)
    with engine.connect() as connection:
        versions = connection.execute(text("SELECT * FROM alembic_version")).all()
    return {"versions": [tuple(row) for row in versions]} | {
        name: {
            "columns": [
                (c["name"], str(c["type"]), c["nullable"], c["default"])
                for c in looked.get_columns(name)
            ],
            "key": looked.get_pk_constraint(name),
            "foreign": looked.get_foreign_keys(name),
            "unique": sorted(looked.get_unique_constraints(name), key=str),
            "indexes": sorted(looked.get_indexes(name), key=str),
        }
        for name in looked.get_table_names()
    }


def test_a_fresh_database_is_as_the_migrations_make_it(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path / 'fresh.db'}").close()
    migrated = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    config = alembic_config()
    with migrated.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    fresh = create_engine(f"sqlite:///{tmp_path / 'fresh.db'}")
    assert schema_of(fresh) == schema_of(migrated)
    fresh.dispose()
    migrated.dispose()


def test_the_revisions_are_those_that_alembic_knows() -> None:
    script = ScriptDirectory.from_config(alembic_config())
    assert [step.revision for step in script.walk_revisions()][::-1] == REVISIONS


@pytest.mark.parametrize("old", [False, True])
def test_alembic_is_loaded_only_where_something_is_to_be_migrated(
    tmp_path: Path, old: bool
) -> None:
    url = f"sqlite:///{tmp_path / 'web.db'}"
    said = []
    for _ in range(2):  # made, then opened again
        if old:
            Store(url).close()
            engine = create_engine(url)
            config = alembic_config()
            with engine.begin() as connection:
                config.attributes["connection"] = connection
                command.downgrade(config, REVISIONS[0])
            engine.dispose()
        ended = subprocess.run(
            [sys.executable, "-c", LOADED, url], capture_output=True, text=True, check=True
        )
        said.append(ended.stdout.strip())
    assert said == (["['alembic', 'mako']"] * 2 if old else ["[]"] * 2)


def test_tables_of_somebody_else_stay(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE recipes (name TEXT)"))
    Store(url).close()
    assert {"recipes", "tables", "alembic_version"} <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_in_memory_nobody_who_reads_undoes_what_is_being_written() -> None:
    store, begun, read = Store("sqlite://"), threading.Event(), threading.Event()

    def look() -> None:
        begun.wait(60)
        store.newest("a table")
        read.set()

    looking = threading.Thread(target=look)
    looking.start()
    with store.writing() as connection:
        connection.execute(insert(SETTINGS).values(name="kept", value="so"))
        begun.set()
        assert not read.wait(0.2)
    looking.join(60)
    with store.reading() as connection:
        assert connection.scalar(select(SETTINGS.c.value).where(SETTINGS.c.name == "kept")) == "so"
    store.close()


def test_a_database_in_memory_is_not_closed_while_somebody_asks_it() -> None:
    """Its one connection would be taken from under a thread that reads, and all would crash."""
    store = Store("sqlite://")
    closing = threading.Thread(target=store.close)
    with store.reading() as connection:
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
        assert connection.scalar(text("SELECT 1")) == 1
    closing.join()
