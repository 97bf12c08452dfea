"""Leaves out what is long, unless this is the proof; a server without bots, and who asks it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.proofs import PROOF


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long tests to ``make proof``, or to whoever asks for them by their mark."""
    if PROOF or "proof" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("proof")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    """A server that runs, without bots; files that need another one have their own."""
    from starlette.testclient import TestClient

    from storeys.web.app import create_app

    made = create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=0)
    with TestClient(made):
        yield made


@pytest.fixture
def browser(app: Any) -> Any:
    """Somebody who asks it."""
    from starlette.testclient import TestClient

    return TestClient(app)
