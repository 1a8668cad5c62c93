"""The messages of each error code, read from the sources."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.docs import markdown

_SOURCES = Path(__file__).parents[2] / "webbuild"
_MAX_SHOWN = 5


def error_messages(code: str) -> list[str]:
    """Return an error's printed messages, with names in braces as placeholders."""
    found = _all_messages().get(code, [])[:_MAX_SHOWN]
    if not found:
        return []
    texts = [f"error[{code}] {message}\n  fix: {fix}" for message, fix in found]
    return ["## Messages", markdown.fenced("\n\n".join(texts))]


@cache
def _all_messages() -> dict[str, list[tuple[str, str]]]:
    messages: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(_SOURCES.rglob("*.py")):
        for code, message, fix in _raised(ast.parse(path.read_text("utf-8"))):
            if (message, fix) not in messages[code]:
                messages[code].append((message, fix))
    return messages


def _raised(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "WebbuildError"):
            continue
        if len(call.args) >= 3 and isinstance(call.args[0], ast.Constant):
            texts = [_text(each) for each in call.args[1:3]]
            if all(texts):
                yield str(call.args[0].value), texts[0], texts[1]


def _text(node: ast.expr) -> str:
    """Return a string literal with `{name}` for interpolated values; "" if the expression is not a string."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else f"{{{_name(part)}}}" for part in node.values)
    return ""


def _name(part: ast.expr) -> str:
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else "…"
