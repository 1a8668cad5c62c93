"""Puts what was measured into a page, between two marks that readers do not see."""

from __future__ import annotations

from pathlib import Path

_BEGIN, _END = "<!-- measured -->\n", "<!-- /measured -->"


def replace_marked(page: Path, text: str) -> None:
    """Replace what stands between a page's marks; `text` ends its last line.

    Raises:
        ValueError: the page lacks a mark.
    """
    before, rest = page.read_text("utf-8").split(_BEGIN)
    _, after = rest.split(_END)
    page.write_text(before + _BEGIN + text + _END + after, "utf-8")
