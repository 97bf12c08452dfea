"""Leaves out what is long, unless this is the proof."""

import pytest

from tests.proofs import PROOF


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long tests to ``make proof``, or to whoever asks for them by their mark."""
    if PROOF or config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("proof")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
