"""Markdown of the texts in the sources: docstrings, help and messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_CODE = re.compile(r"(`[^`]+`)")
_LABEL = re.compile(r"^(Defect|Why|How|Limits|Exact|Source|Fix|Usual causes|Graphs|Numbers): ")
_SPECIAL = {ord(each): f"&#{ord(each)};" for each in "*_<>[]|&"}
"""HTML character references: Python-Markdown does not support a backslash escape for all of these characters."""


def prose(text: str) -> str:
    """Return a line of plain text with Markdown's special characters escaped, except in backticks."""
    return "".join(part if _CODE.fullmatch(part) else part.translate(_SPECIAL) for part in _CODE.split(text))


def docstring(text: str) -> str:
    """Return a docstring as Markdown: indented blocks become code, lines that begin with `-` become a list."""
    blocks = []
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        if all(line.startswith("    ") for line in lines if line):
            blocks.append(block)
        elif any(line.startswith(" ") and not line.strip().startswith("-") for line in lines) and not any(
            line.startswith("-") for line in lines
        ):
            blocks.append(fenced(block))
        else:
            blocks.append("\n".join(_apart([prose(line) for line in lines])))
    return "\n\n".join(blocks) + "\n"


def _apart(lines: list[str]) -> list[str]:
    """Return lines with an empty line before a list, as Markdown requires, and before a label such as `Limits:`."""
    found: list[str] = []
    for line in lines:
        begins = line.startswith("- ") and not (found and found[-1].startswith(("- ", "  ")))
        if found and (begins or _LABEL.match(line)):
            found.append("")
        found.append(_LABEL.sub(r"**\1:** ", line))
    return found


def fenced(text: str, language: str = "text") -> str:
    """Return a block of code; the fence is longer than any in the text."""
    longest = max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def page(path: Path, title: str, body: str, *, description: str = "") -> None:
    """Write a page with its title, and a description for search engines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    summary = " ".join(description.replace("`", "").replace('"', "'").split())
    head = f'---\ndescription: "{summary}"\n---\n\n' if summary else ""
    path.write_text(f"{head}# {title}\n\n{body.strip()}\n", "utf-8")


def table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table; the cells are Markdown."""
    head = f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
