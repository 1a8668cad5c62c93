"""Pages of errors: what happened, usual causes, and the fix, by code."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_PAGES = Path(__file__).with_name("error_pages.toml")


@cache
def error_pages() -> dict[str, dict[str, str]]:
    """Return the text of each error by area and code. The first line is a summary."""
    areas = tomllib.loads(_PAGES.read_text("utf-8"))
    return {area: {code: _page(*texts) for code, texts in pages.items()} for area, pages in areas.items()}


def _page(what: str, causes: str, fix: str) -> str:
    return f"{what}\n\nUsual causes: {causes}\n\nFix: {fix}"
