"""The report as Markdown, for the job summary in CI: a table of the backends, then the failures."""

from __future__ import annotations

from webbuild.reporting.markdown import escape_markdown, markdown_row
from webbuild.verify.formatting import verdict_text
from webbuild.verify.multi_endpoint_report import TABLE_TITLES, MultiEndpointReport, failure_lines, table_rows


def render_markdown(report: MultiEndpointReport) -> str:
    """Render the results of one or more browsers."""
    lines = [line for each in report.browsers for line in failure_lines(each)]
    failed = "\n".join(f"- {'<br>'.join(map(escape_markdown, line.splitlines()))}" for line in lines)
    return "\n\n".join(filter(None, [_verdict(report), _table(report), failed])) + "\n"


def _verdict(report: MultiEndpointReport) -> str:
    reports = [each.report for each in report.browsers if each.report is not None]
    if len(report.browsers) == len(reports) == 1:
        _, headline, sentence = verdict_text(reports[0])
        return f"### {escape_markdown(reports[0].title)}: {headline.lower()}\n\n{escape_markdown(sentence)}"
    title = escape_markdown(reports[0].title) if reports else "webbuild verify"
    clean = sum(each.clean for each in report.browsers)
    return f"### {title}: {clean} of {len(report.browsers)} browsers give the same results"


def _table(report: MultiEndpointReport) -> str:
    rows = [row for each in report.browsers for row in table_rows(each)]
    return "\n".join(
        map(
            markdown_row,
            [TABLE_TITLES, ["---"] * len(TABLE_TITLES), *[list(map(escape_markdown, row)) for row in rows]],
        )
    )
