"""Write the types of the pages' scripts: `python -m tools.make_page_types`.

The schemas of OpenAPI that the scripts name become typedefs of static/types.js, with all that these
refer to; so do the queries of endpoints.  tsc holds the scripts to them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import storeys
from storeys.web.app import create_app

FILE = Path(storeys.__file__).parent / "web" / "static" / "types.js"
HEAD = """// What the server takes and sends, as types.
//
// Made by `python -m tools.make_page_types` from the API's description; do not edit.
"""
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}

Schema = Mapping[str, Any]


def types_of(description: Schema) -> str:
    """The whole file."""
    schemas = description["components"]["schemas"] | dict(queries_of(description))
    named, needed = names_in_scripts(), set[str]()
    while named:
        name = named.pop()
        needed.add(name)
        named |= names_in(schemas[name]) - needed
    found = [typedef(name, schemas[name]) for name in sorted(needed)]
    return "\n".join([HEAD, *found, "export {};\n"])


def names_in_scripts() -> set[str]:
    """The types that the pages' scripts import."""
    texts = (file.read_text("utf-8") for file in FILE.parent.glob("*.js"))
    return {name for text in texts for name in re.findall(r'"\./types\.js"\)\.(\w+)', text)}


def names_in(node: Any) -> set[str]:
    """The schemas to which a part of the description refers."""
    if isinstance(node, list):
        return set().union(*map(names_in, node))
    if not isinstance(node, dict):
        return set()
    own = {name_of(node)} if "$ref" in node else set()
    return own.union(*map(names_in, node.values()))


def name_of(schema: Schema) -> str:
    """The name to which a reference leads."""
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def queries_of(description: Schema) -> Iterator[tuple[str, Schema]]:
    """The query of each endpoint that has one, as a schema of its own: `GetStateQuery`."""
    for methods in description["paths"].values():
        for operation in methods.values():
            asked = [one for one in operation.get("parameters", []) if one["in"] == "query"]
            if asked:
                words = operation["operationId"].split("_")
                name = "".join(word.capitalize() for word in words) + "Query"
                yield (
                    name,
                    {
                        "description": f"The query of `{operation['operationId']}`.",
                        "properties": {one["name"]: one["schema"] for one in asked},
                        "required": [one["name"] for one in asked if one["required"]],
                    },
                )


def typedef(name: str, schema: Schema) -> str:
    """A schema as a comment that defines its type."""
    words = [line.strip() for line in schema.get("description", "").splitlines()]
    if "properties" not in schema:
        return comment([*words, f"@typedef {{{type_of(schema)}}} {name}"])
    required = schema.get("required", [])
    lines = [*words, f"@typedef {{object}} {name}"]
    for key, value in schema["properties"].items():
        shown = key if key in required else f"[{key}]"
        about = f" {value['description']}" if "description" in value else ""
        lines.append(f"@property {{{type_of(value)}}} {shown}{about}")
    return comment(lines)


def comment(lines: list[str]) -> str:
    """Lines as a comment that tsc reads."""
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def type_of(schema: Schema) -> str:
    """A schema as TypeScript writes its type."""
    if "$ref" in schema:
        return name_of(schema)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(type_of(one) for one in schema[several])
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return f"{{[key: string]: {'unknown' if values is True else type_of(values)}}}"
    return "null" if kind == "null" else PLAIN.get(str(kind), "unknown")


def main() -> None:
    """Write the file anew."""
    FILE.write_text(types_of(create_app().openapi()), "utf-8")


if __name__ == "__main__":
    main()
