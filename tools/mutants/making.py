"""Make mutants of a source file: one operator, constant or line changed at a time.

Mutants are made in the text, where the syntax tree says, so that what is shown is what is run.  A
mutant is known by its file, its function and its line before and after, not by the line's number:
lines may move.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "storeys"
TILES = "tiles"
GAMES = ("manhattan", "cloud_city", "neoville")

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
}
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.Expr,
    ast.Return,
    ast.Continue,
    ast.Break,
    ast.Raise,
    ast.Delete,
)
BLOCKS = (ast.If, ast.For, ast.While)
DELETED = "(deleted)"
NO_RULES = ("free_places_of", "square_name", "read_square", "_is_corner", "SQUARE_NAMES")
"""What the rules' files hold for drawings and for people; tests of pictures and moves see to it."""


@dataclass(frozen=True)
class Mutant:
    """One changed place of one file."""

    file: str
    function: str  # empty for what runs when the module is imported
    change: str  # the line before and after, and which one of several that read alike
    lines: tuple[int, int]  # the first and the last line of the statement
    original: str  # the function, or the statement of a module, as it is
    changed: str  # the same as a mutant
    first_line: int  # where it begins

    @property
    def key(self) -> str:
        """How a mutant is known for ever."""
        return f"{self.file} {self.name}"

    @property
    def name(self) -> str:
        """The same without the file."""
        return f"{self.function or 'module'}: {self.change}"

    @property
    def source(self) -> str:
        """The whole file, changed."""
        text = (PACKAGE / self.file).read_text("utf-8")
        lines = text.splitlines(keepends=True)
        before = "".join(lines[: self.first_line - 1])
        rest = "".join(lines[self.first_line - 1 :])
        return before + rest.replace(self.original, self.changed, 1)

    @property
    def group(self) -> str:
        """The game whose mutant it is, or ``tiles`` for what the tile games share."""
        return group_of(self.file)


def group_of(file: str) -> str:
    """The game of a file, or ``tiles``."""
    parts = file.split("/")
    return parts[1] if parts[0] == "games" else TILES


def rule_files() -> list[str]:
    """The files that hold rules, relative to the package."""
    games = [f"games/{game}/{name}.py" for game in GAMES for name in ("rules", "scoring")]
    return [*games, *(f"kernel/tiles/{name}.py" for name in ("grid", "draft", "cities"))]


def all_mutants() -> list[Mutant]:
    """Every mutant of the rules, in the order of the files."""
    found = []
    for file in rule_files():
        found += mutants_of(file, (PACKAGE / file).read_text("utf-8"))
    return found


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Every mutant of one file."""
    return list(_Maker(file, text).make())


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    new: str


class _Maker:
    """Walks one file's syntax tree; positions count in bytes, as the tree does."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text.encode()
        self.tree = ast.parse(text)
        self.line_starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def make(self) -> Iterator[Mutant]:
        """The mutants, function by function."""
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name not in NO_RULES:
                yield from self._mutants_in(statement.name, statement, statement.body)
            elif isinstance(statement, ast.Assign) and not _is_declaration(statement):
                yield from self._mutants_in("", statement, [statement])

    def _mutants_in(self, function: str, whole: ast.stmt, body: list[ast.stmt]) -> Iterator[Mutant]:
        original, start = self._text_of(whole), self._start(whole)
        seen: Counter[str] = Counter()
        made = set()
        for statement in _statements(body):
            for edit in self._edits(
                statement, is_last=statement is body[-1], is_constant=not function
            ):
                before, after = (
                    self.text[start : edit.start],
                    self.text[edit.end : self._end(whole)],
                )
                changed = (before + edit.new.encode() + after).decode()
                if changed in made:
                    continue
                made.add(changed)
                change = self._describe(edit)
                seen[change] += 1
                nth = f" #{seen[change]}" if seen[change] > 1 else ""
                lines = (statement.lineno, _last_line_of_header(statement))
                name = change + nth
                yield Mutant(self.file, function, name, lines, original, changed, whole.lineno)

    def _describe(self, edit: _Edit) -> str:
        """The lines that an edit touches, before and after."""
        first = self.text.rfind(b"\n", 0, edit.start) + 1
        last = self.text.find(b"\n", edit.end)
        before = self.text[first:last].decode()
        if edit.new == "pass":
            return f"{before.strip().splitlines()[0]} → {DELETED}"
        after = self.text[first : edit.start] + edit.new.encode() + self.text[edit.end : last]
        return f"{' '.join(before.split())} → {' '.join(after.decode().split())}"

    # --- what can be changed in a statement

    def _edits(self, statement: ast.stmt, *, is_last: bool, is_constant: bool) -> Iterator[_Edit]:
        if not is_constant and not (is_last and _returns_nothing(statement)):
            yield from self._deletion(statement)
        if isinstance(statement, ast.Continue | ast.Break):
            yield self._edit(
                statement, "break" if isinstance(statement, ast.Continue) else "continue"
            )
        if isinstance(statement, ast.AugAssign):
            yield from self._other_augmentation(statement)
        for expression in _expressions(statement):
            for node in ast.walk(expression):
                yield from self._edits_of_node(node)
        if isinstance(statement, ast.If | ast.While):
            yield from self._negation(statement.test)

    def _deletion(self, statement: ast.stmt) -> Iterator[_Edit]:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        is_elif = self._text_of(statement).startswith("elif")
        if isinstance(statement, SIMPLE) or (isinstance(statement, BLOCKS) and not is_elif):
            yield self._edit(statement, "pass")

    def _other_augmentation(self, statement: ast.AugAssign) -> Iterator[_Edit]:
        old, new = OPERATORS[type(statement.op)]
        yield from self._exchange(statement.target, statement.value, f"{old}=", (f"{new}=",))

    def _edits_of_node(self, node: ast.AST) -> Iterator[_Edit]:
        if isinstance(node, ast.Compare):
            left: ast.expr = node.left
            for operator, right in zip(node.ops, node.comparators, strict=True):
                yield from self._exchange(left, right, *COMPARISONS[type(operator)])
                left = right
        elif isinstance(node, ast.BinOp):
            old, new = OPERATORS[type(node.op)]
            yield from self._exchange(node.left, node.right, old, (new,))
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for one, two in zip(node.values, node.values[1:], strict=False):
                yield from self._exchange(one, two, old, (new,))
        elif isinstance(node, ast.UnaryOp):
            start = self._start(node)
            yield _Edit(start, start + (4 if isinstance(node.op, ast.Not) else 1), "")
        elif isinstance(node, ast.Constant):
            yield from self._other_constants(node)
        elif isinstance(node, ast.IfExp):
            yield from self._negation(node.test)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from self._other_call(node, node.func)

    def _exchange(
        self, left: ast.expr, right: ast.expr, old: str, others: tuple[str, ...]
    ) -> Iterator[_Edit]:
        """The sign between two expressions, which may stand in brackets."""
        between = self.text[self._end(left) : self._start(right)].decode()
        found = re.search(rf"(?<![\w<>=!]){re.escape(old)}(?![\w=])", between)
        assert found, f"no {old} in {between!r}"
        start = self._end(left) + len(between[: found.start()].encode())
        for new in others:
            yield _Edit(start, start + len(old), new)

    def _negation(self, test: ast.expr) -> Iterator[_Edit]:
        """Conditions whose own sign cannot be turned round are negated."""
        is_turned = isinstance(test, ast.Compare) and len(test.ops) == 1
        if not is_turned and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            yield self._edit(test, f"not ({self._text_of(test)})")

    def _other_constants(self, node: ast.Constant) -> Iterator[_Edit]:
        if isinstance(node.value, bool):
            yield self._edit(node, str(not node.value))
        elif isinstance(node.value, int):
            yield self._edit(node, str(node.value + 1))
            yield self._edit(node, str(node.value - 1) if node.value else "(-1)")

    def _other_call(self, node: ast.Call, name: ast.Name) -> Iterator[_Edit]:
        if name.id in ("min", "max"):
            yield self._edit(name, "max" if name.id == "min" else "min")
        if name.id == "range":
            first, last = node.args[0], node.args[-1]
            if not isinstance(last, ast.Constant):
                yield self._edit(last, f"{self._text_of(last)} - 1")
            if len(node.args) > 1 and not isinstance(first, ast.Constant):
                yield self._edit(first, f"{self._text_of(first)} + 1")

    # --- positions

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self.line_starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def _text_of(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self._start(node) : self._end(node)].decode()

    def _edit(self, node: ast.expr | ast.stmt, new: str) -> _Edit:
        return _Edit(self._start(node), self._end(node), new)


def _is_declaration(statement: ast.Assign) -> bool:
    """What says names only: ``__all__``, types, texts."""
    names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return bool({"__all__", *NO_RULES} & set(names)) or not any(
        isinstance(node, ast.Constant) and isinstance(node.value, int)
        for node in ast.walk(statement.value)
    )


def _returns_nothing(statement: ast.stmt) -> bool:
    """At a function's end, ``return False`` says no more than to say nothing."""
    if not isinstance(statement, ast.Return):
        return False
    value = statement.value
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks in it."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []))


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement itself, not of the blocks in it."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child


def _last_line_of_header(statement: ast.stmt) -> int:
    """Of a block only its first lines count as its own."""
    if isinstance(statement, BLOCKS):
        return statement.body[0].lineno - 1 or statement.lineno
    return statement.end_lineno or statement.lineno
