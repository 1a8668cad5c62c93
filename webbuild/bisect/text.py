"""The report as text."""

from __future__ import annotations

from pathlib import Path

from webbuild.bisect.codes import EXPLANATIONS
from webbuild.bisect.report import BisectFinding, BisectReport
from webbuild.errors import printable
from webbuild.reporting.comparison_text import describe_reason
from webbuild.reporting.problem_text import see
from webbuild.reporting.quantities import format_count

_MAX_SHOWN = 10
"""Maximum number of listed findings."""


def print_report(report: BisectReport, out: Path) -> None:
    """Print the report on stdout."""
    import click

    for line in _report_lines(report, out):
        click.echo(printable(line, 2000))


def _report_lines(report: BisectReport, out: Path) -> list[str]:
    """Return the lines of the report."""
    compared = f"{format_count(report.compared_values, 'value')} in {format_count(report.sessions, 'session')}"
    lines = [
        f"{report.subject}: {format_count(report.nodes, 'node')} on {report.engine}",
        f"  compared with {report.reference} on {report.sample}: {compared}",
    ]
    if report.whole_graph_verdict == "agrees":
        return [
            *lines,
            "no difference found"
            if report.compared_values
            else "nothing was compared: all outputs are 0 or empty; give other inputs with --sample",
        ]
    first = [finding for finding in report.findings if not finding.downstream]
    for index, finding in enumerate(first[:_MAX_SHOWN]):
        lines += _finding_lines(finding, out)
        if finding.code not in {earlier.code for earlier in first[:index]}:
            lines += [f"  meaning: {EXPLANATIONS[finding.code].splitlines()[0]}", see(finding.code)]
    if len(first) > _MAX_SHOWN:
        lines.append(f"and {len(first) - _MAX_SHOWN} more: see --json")
    if downstream := [finding for finding in report.findings if finding.downstream]:
        names = ", ".join(node.label for finding in downstream[:_MAX_SHOWN] for node in finding.nodes)
        more = ", ..." if len(downstream) > _MAX_SHOWN else ""
        lines.append(f"these differ too, after those: {names}{more}")
    if report.depth_errors:
        lines += [
            "error by node number, relative to the largest magnitude of its output; bars are logarithmic:",
            *_depth_lines(report),
        ]
    if report.unresolved:
        lines.append(
            f"{format_count(report.unresolved, 'part')} of the graph could not run alone, so they were not compared"
        )
    return [*lines, *([report.unfinished] if report.unfinished else [])]


def _finding_lines(finding: BisectFinding, out: Path) -> list[str]:
    nodes = ", ".join(node.label for node in finding.nodes[:6])
    more = f" and {len(finding.nodes) - 6} more" if len(finding.nodes) > 6 else ""
    where = f" on the {finding.placement.upper()}" if finding.placement else ""
    lines = [f"{finding.code}: {nodes}{more}{where}"]
    for each in finding.comparisons[:3]:
        numbers = f" at {list(each.worst)}: wanted {each.want}, got {each.got}" if each.worst else ""
        lines.append(f"  {each.subject.output} {describe_reason(each)}{numbers}")
    if finding.message:
        lines += [f"  {line}" for line in finding.message.splitlines()]
    if not finding.reproduced:
        lines.append("  it happens only in a session with other parts of the graph, not alone")
    if finding.files:
        lines.append(f"  written: {', '.join(str(out / name) for name in finding.files)}")
    return lines


def _depth_lines(report: BisectReport) -> list[str]:
    """Return a line for each value: the node, the error, and a bar on a logarithmic scale."""
    import math

    lines = []
    for depth in report.depth_errors:
        size = "not finite" if depth.error is None else f"{depth.error:.1e}"
        length = 0 if not depth.error else max(0, round(4 * (math.log10(depth.error) + 8)))
        lines.append(f"  {depth.node:6} {size:>10}  {'#' * min(length, 40)}")
    return lines
