"""The manifest of a bundle, from its JSON schema."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from tools.docs import markdown

_SCHEMA = Path(__file__).parents[2] / "webbuild" / "manifest" / "manifest.schema.json"
_INTRODUCTION = """`manifest.json` in a bundle describes it: inputs, outputs, task, and every file with its size and
SHA-256. The loader reads it; your own code may read it too. The bundle contains the schema as `manifest.schema.json`.

Every object below refuses unknown fields. All fields are always written."""


def write(out: Path) -> None:
    """Write `reference/manifest.md`."""
    schema = json.loads(_SCHEMA.read_text("utf-8"))
    parts = [_INTRODUCTION, *(_definition(name, each) for name, each in schema["$defs"].items())]
    markdown.page(
        out / "reference" / "manifest.md",
        "Manifest",
        "\n\n".join(parts),
        description="The fields of a bundle's manifest.json.",
    )


def _definition(name: str, definition: dict[str, Any]) -> str:
    heading = f"## {name} {{ #{name.lower()} }}"
    about = markdown.docstring(inspect.cleandoc(definition.get("description", "")))
    rows = [
        (f"`{field}`", _type(each), _default(each), markdown.prose(" ".join(_description(each).split())))
        for field, each in definition.get("properties", {}).items()
    ]
    fields = markdown.table(("field", "type", "default", ""), rows) if rows else _type(definition)
    return "\n\n".join(filter(None, [heading, about, fields]))


def _description(field: dict[str, Any]) -> str:
    return str(field.get("description") or field.get("items", {}).get("description", ""))


def _default(field: dict[str, Any]) -> str:
    return f"`{json.dumps(field['default'])}`" if "default" in field else ""


def _type(field: dict[str, Any]) -> str:
    """Return a type as Markdown: names of other objects are links, alternatives are listed one after the other."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    if "enum" in field:
        return " or ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    kind = field.get("type", "anything")
    if kind == "array":
        if "prefixItems" in field:
            return f"list of {', '.join(map(_type, field['prefixItems']))}"
        return f"list of {_type(field.get('items') or {})}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(field['additionalProperties'])}"
    return str(kind)
