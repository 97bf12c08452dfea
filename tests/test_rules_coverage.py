"""Every rule of our rules pages is named by a test."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "rules").glob("*.md"))


def rules_of_page(page: Path) -> list[str]:
    return re.findall(r"^- \*\*([A-Z]-[R0-9]+)\*\*", page.read_text("utf-8"), re.MULTILINE)


@functools.cache
def rules_named_by_tests() -> frozenset[str]:
    """The arguments of all `pytest.mark.rule(…)`."""
    named: set[str] = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
                named |= {str(ast.literal_eval(argument)) for argument in node.args}
    return frozenset(named)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_rule_has_a_test(page: Path) -> None:
    rules = rules_of_page(page)
    assert rules
    assert len(set(rules)) == len(rules), "a rule stands twice"
    assert [rule for rule in rules if rule not in rules_named_by_tests()] == []


def test_no_test_names_a_rule_that_is_not_there() -> None:
    known = {rule for page in PAGES for rule in rules_of_page(page)}
    assert rules_named_by_tests() - known == set()
