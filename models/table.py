"""Writes what was measured into models/README.md, between two marks."""

from __future__ import annotations

from pathlib import Path

README = Path(__file__).with_name("README.md")


def table(columns: dict[str, dict[str, str]]) -> str:
    """The columns side by side as Markdown."""
    names = next(iter(columns.values()))
    body = [[name, *(column[name] for column in columns.values())] for name in names]
    rows = [["", *columns], ["---"] * (len(columns) + 1), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rewrite(readme: Path, system: str, text: str) -> None:
    """Put the table between the two marks of a system."""
    start, end = f"<!-- measured {system} -->\n", f"<!-- /measured {system} -->"
    before, rest = readme.read_text("utf-8").split(start)
    after = rest.split(end)[1]
    readme.write_text(before + start + text + end + after, "utf-8")
