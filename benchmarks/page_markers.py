"""Puts what was measured into a page, between two marks that readers do not see."""

from __future__ import annotations

from pathlib import Path


def replace_marked(page: Path, text: str, mark: str = "measured") -> None:
    """Replace what stands between a page's marks; `text` ends its last line.

    Raises:
        ValueError: the page lacks a mark.
    """
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, rest = page.read_text("utf-8").split(begin)
    _, after = rest.split(end)
    page.write_text(before + begin + text + end + after, "utf-8")
