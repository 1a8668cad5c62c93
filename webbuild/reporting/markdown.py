"""Text in Markdown, in which nothing that a model's maker chose is markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webbuild.errors import printable

_MARKUP = re.compile(r"""[\\`*_{}\[\]<>&#+!|~@$="]""")


def escape_markdown(text: str) -> str:
    """Return text in one line, in which nothing is Markdown or HTML."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", " ".join(printable(text).split()))


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"
