"""Write measurements into a page, between two invisible markers."""

from __future__ import annotations

from pathlib import Path


def replace_marked(page: Path, text: str, mark: str = "measured") -> None:
    """Replace the text between a page's markers; `text` ends with a newline.

    Raises:
        ValueError: the page lacks a marker.
    """
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, rest = page.read_text("utf-8").split(begin)
    _, after = rest.split(end)
    page.write_text(before + begin + text + end + after, "utf-8")
