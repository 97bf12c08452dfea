"""What is long runs in ``make proof`` alone; ``make test`` has a short form of everything."""

import os
from typing import Any

import pytest

from storeys.registry import game_names

PROOF = "STOREYS_PROOF" in os.environ
"""Whether this is the proof."""

in_proof = pytest.mark.proof
"""Marks a test that takes long; another one is its short form."""


def long_case(*values: Any) -> Any:
    """A case of a test that takes long, beside quicker ones."""
    return pytest.param(*values, marks=in_proof)


def mostly_long(quick: str) -> list[Any]:
    """All games, of which only one is among the quicker cases."""
    return [name if name == quick else long_case(name) for name in game_names()]
