"""Shapes that are drawn, not computed: a folder's ``shapes.svg``, in the colours of a theme.

The file has a group for each shape, around a point of its own.  A colour that a theme decides is an
expression in braces, and a shape may use another one::

    <g id="lawn"><circle r="15" fill="{lighter(park, 0.62)}" stroke="{park}"/></g>
    <g id="park"><use href="#lawn" transform="scale(2)"/><circle r="6" fill="{park}"/></g>

Expressions are made of the fields and hues of `Theme`, of what the caller gives, of numbers with
plus, minus and times, and of the functions in `FUNCTIONS`; numbers are rounded as in all pictures.
What lies around the shapes' groups only spreads them over a sheet,
and names of an editor's own are passed over.
"""

import ast
import functools
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from storeys.kernel.drawing.svg import clean, group, number
from storeys.kernel.drawing.themes import THEMES, darker, ink_on, lighter, mixed
from storeys.kernel.errors import StoreysError
from storeys.kernel.messages import Message

FILE = "shapes.svg"
FUNCTIONS: dict[str, Callable[..., str]] = {
    "darker": darker,
    "lighter": lighter,
    "mixed": mixed,
    "ink_on": ink_on,
}
ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_SVG = "{http://www.w3.org/2000/svg}"
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")


@functools.cache
def shapes(folder: Path, theme_name: str, **given: str | float) -> "Shapes":
    """The shapes of a folder by name, as SVG text; ``given`` are more names for expressions."""
    theme = THEMES[theme_name]
    fields = {name: value for name, value in vars(theme).items() if name not in ("name", "hues")}
    names = {name.replace("-", "_"): value for name, value in (fields | theme.hues).items()}
    return Shapes(folder / FILE, names | given)


@functools.cache
def _groups(file: Path) -> dict[str, ElementTree.Element]:
    """The groups of a file that have a name."""
    try:
        groups = ElementTree.parse(file).iter(f"{_SVG}g")
    except (OSError, ElementTree.ParseError) as error:
        raise _wrong("unreadable", file, why=str(error)) from None
    return {found.attrib["id"]: found for found in groups if "id" in found.attrib}


def _wrong(what: str, file: Path, **facts: str) -> StoreysError:
    return StoreysError(Message(f"storeys.shape.{what}", file=str(file), **facts))


class Shapes(dict[str, str]):
    """The shapes of a file, each drawn when first asked for: what one is given, another lacks."""

    def __init__(self, file: Path, names: Mapping[str, str | float]) -> None:
        super().__init__()
        self.file, self.names = file, names

    def __missing__(self, name: str) -> str:
        groups = _groups(self.file)
        if name not in groups:
            raise _wrong("missing", self.file, shape=name, known=", ".join(groups))
        self[name] = drawn = self._inside(groups[name], name)
        return drawn

    def beginning(self, *names: str) -> dict[str, str]:
        """Those whose names begin like that, in the order of the file."""
        return {name: self[name] for name in _groups(self.file) if name.startswith(names)}

    def _inside(self, element: ElementTree.Element, shape: str) -> str:
        """The text in an element and its children, without the space that lays them out."""
        words = self._filled((element.text or "").strip(), shape)
        return words + "".join(self._drawn(child, shape) for child in element)

    def _drawn(self, element: ElementTree.Element, shape: str) -> str:
        if not element.tag.startswith(_SVG):
            return ""
        tag = element.tag.removeprefix(_SVG)
        kept = {key: value for key, value in element.items() if not key.startswith("{")}
        used = self[kept.pop("href", "").removeprefix("#")] if tag == "use" else ""
        paint = " ".join(f'{key}="{self._filled(value, shape)}"' for key, value in kept.items())
        body = used + self._inside(element, shape)
        if tag in ("use", "g"):
            return group(body, "", paint) if paint else body
        return f"<{tag} {paint}>{body}</{tag}>" if body else f"<{tag} {paint}/>"

    def _filled(self, text: str, shape: str) -> str:
        """A text with its expressions worked out."""

        def work_out(braces: re.Match[str]) -> str:
            try:
                found = _value(ast.parse(braces[0][1:-1].strip(), mode="eval").body, self.names)
            except (SyntaxError, TypeError, ValueError):
                known = ", ".join([*self.names, *(f"{name}(…)" for name in FUNCTIONS)])
                facts = {"shape": shape, "expression": braces[0], "known": known}
                raise _wrong("expression", self.file, **facts) from None
            return found if isinstance(found, str) else number(found)

        return clean(_BRACES.sub(work_out, text))


def _value(node: ast.expr, names: Mapping[str, str | float]) -> str | float:
    """What an expression comes to; it is read, never run as a program."""
    match node:
        case ast.Name(name) if name in names:
            return names[name]
        case ast.Constant(int() | float() as share):
            return share
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(argument, names) for argument in arguments))
        case ast.BinOp(left, sign, right) if type(sign) in ARITHMETIC:
            one, two = _value(left, names), _value(right, names)
            if not isinstance(one, str) and not isinstance(two, str):
                return ARITHMETIC[type(sign)](one, two)
    raise ValueError(node)
