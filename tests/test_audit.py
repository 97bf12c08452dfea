"""The audit of packages tells what it knows, and fails only for faults."""

import json
from typing import Any

import pytest
from tools.audit import findings

FINE = {"name": "one", "version": "1.0", "vulns": []}
FAULTY = FINE | {"vulns": [{"id": "CVE-1", "fix_versions": ["1.1"], "description": "long"}]}
UNKNOWN = {"name": "other", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "lines", "faulty"),
    [
        ([FINE, FINE], ["No known fault in 2 packages"], False),
        ([FINE, UNKNOWN], ["No known fault in 1 package (1 not known there)"], False),
        ([FINE, FAULTY], ["one 1.0: CVE-1, mended in 1.1"], True),
    ],
)
def test_what_an_audit_says(packages: list[Any], lines: list[str], faulty: bool) -> None:
    assert findings(json.dumps({"dependencies": packages})) == (lines, faulty)


@pytest.mark.parametrize(
    "answer", ["", "no network", "[]", json.dumps({"dependencies": [UNKNOWN]})]
)
def test_an_audit_without_a_network_is_no_fault(answer: str) -> None:
    said, faulty = findings(answer)
    assert (len(said), faulty) == (1, False)
    assert said[0].startswith("The packages are not audited")
