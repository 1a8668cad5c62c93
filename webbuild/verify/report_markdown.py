"""The report as Markdown, for the summary of a job in CI: a table of the backends, then what failed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webbuild.errors import printable
from webbuild.verify.formatting import verdict_text
from webbuild.verify.multi_endpoint_report import TABLE_TITLES, MultiEndpointReport, failure_lines, table_rows

_MARKUP = re.compile(r"""[\\`*_{}\[\]<>&#+!|~@$="]""")
"""What may mean something in Markdown or HTML, in a name that a model's maker chose."""


def render_markdown(found: MultiEndpointReport) -> str:
    """Return the results of one or more browsers."""
    lines = [line for each in found.browsers for line in failure_lines(each)]
    failed = "\n".join(f"- {'<br>'.join(map(_plain, line.splitlines()))}" for line in lines)
    return "\n\n".join(filter(None, [_verdict(found), _table(found), failed])) + "\n"


def _verdict(found: MultiEndpointReport) -> str:
    reports = [each.report for each in found.browsers if each.report is not None]
    if len(found.browsers) == len(reports) == 1:
        _, headline, sentence = verdict_text(reports[0])
        return f"### {_plain(reports[0].title)}: {headline.lower()}\n\n{_plain(sentence)}"
    title = _plain(reports[0].title) if reports else "webbuild verify"
    clean = sum(each.clean for each in found.browsers)
    return f"### {title}: {clean} of {len(found.browsers)} browsers give the same answers"


def _table(found: MultiEndpointReport) -> str:
    rows = [row for each in found.browsers for row in table_rows(each)]
    return "\n".join(map(_row, [TABLE_TITLES, ["---"] * len(TABLE_TITLES), *[list(map(_plain, row)) for row in rows]]))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return text in one line, in which nothing is markup."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", " ".join(printable(text).split()))
