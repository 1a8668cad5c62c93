"""The report for people."""

from __future__ import annotations

from pathlib import Path

from webbuild.bisect.report import Finding, Report
from webbuild.errors import printable

SHOWN = 10
"""Findings that are listed."""


def show(report: Report, out: Path) -> None:
    """Print what was found on stdout."""
    import click

    for line in lines(report, out):
        click.echo(printable(line, 2000))


def lines(report: Report, out: Path) -> list[str]:
    """Return what was found, line by line."""
    compared = f"{report.compared} values compared in {report.sessions} session{'s' * (report.sessions != 1)}"
    told = [
        f"{report.subject}: {report.nodes} nodes on {report.engine}",
        f"  against {report.reference}, on {report.sample}; {compared}",
    ]
    if report.whole == "agrees":
        return [
            *told,
            "nothing differs"
            if report.compared
            else "nothing was compared: all outputs are 0 or empty; give it other numbers with --input",
        ]
    first = [finding for finding in report.findings if not finding.behind]
    for finding in first[:SHOWN]:
        told += _told(finding, out)
    if len(first) > SHOWN:
        told.append(f"and {len(first) - SHOWN} more: see --json")
    if behind := [finding for finding in report.findings if finding.behind]:
        names = ", ".join(node.label for finding in behind[:SHOWN] for node in finding.nodes)
        told.append(f"also guilty, behind those: {names}{', ...' if len(behind) > SHOWN else ''}")
    if report.depths:
        told += ["error against depth, relative to the largest magnitude:", *_depths(report)]
    if report.untried:
        told.append(f"{report.untried} parts could not be tried by themselves, though the whole runs")
    return [*told, *([report.unfinished] if report.unfinished else [])]


def _told(finding: Finding, out: Path) -> list[str]:
    nodes = ", ".join(node.label for node in finding.nodes[:6])
    more = f" and {len(finding.nodes) - 6} more" if len(finding.nodes) > 6 else ""
    where = f" on the {finding.place.upper()}" if finding.place else ""
    told = [f"{finding.code}: {nodes}{more}{where}"]
    for each in finding.comparisons[:3]:
        numbers = f" at {list(each.worst)}: wanted {each.want}, got {each.got}" if each.worst else ""
        told.append(f"  {each.subject.output} {each.why}{numbers}")
    if finding.message:
        told.append(f"  {finding.message}")
    if not finding.alone:
        told.append("  it shows only beside other pieces, not in a session of its own")
    if finding.files:
        told.append(f"  {', '.join(str(out / name) for name in finding.files)}")
    return told


def _depths(report: Report) -> list[str]:
    """Return a line for each value: the node, the error, a bar of its logarithm."""
    import math

    told = []
    for depth in report.depths:
        size = "not finite" if depth.error is None else f"{depth.error:.1e}"
        length = 0 if not depth.error else max(0, round(4 * (math.log10(depth.error) + 8)))
        told.append(f"  {depth.node:6} {size:>10}  {'#' * min(length, 40)}")
    return told
