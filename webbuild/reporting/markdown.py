"""Markdown escaping, so that text from a model's file is not interpreted as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webbuild.errors import printable

_MARKUP = re.compile(r"""[\\`*_{}\[\]<>&#+!|~@$="]""")


def escape_markdown(text: str) -> str:
    """Return text as one line, with Markdown and HTML escaped."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", " ".join(printable(text).split()))


def markdown_row(cells: Sequence[str]) -> str:
    """Return a table row of cells that are already Markdown."""
    return f"| {' | '.join(cells)} |"
