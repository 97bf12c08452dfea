"""What is long runs in ``make proof`` alone; ``make test`` has a short form of everything."""

import os
from typing import Any

import pytest

PROOF = "STOREYS_PROOF" in os.environ
"""Whether this is the proof."""

in_proof = pytest.mark.proof
"""Marks a test that takes long; another one is its short form."""


def long_case(*values: Any) -> Any:
    """A case of a test that takes long, beside quicker ones."""
    return pytest.param(*values, marks=in_proof)
