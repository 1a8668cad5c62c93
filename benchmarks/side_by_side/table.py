"""The rows of a comparison: the ratio first, then both figures."""

from __future__ import annotations

from benchmarks.side_by_side.measure import PageMeasurement
from webbuild.bench.formatting import DASH, format_megabytes
from webbuild.verify import formatting

MEASURES = {
    "bytes of a first visit": "bytes",
    "to a session": "session",
    "to a first result": "first_result",
    "to a first result, second visit": "second_visit",
    "a run, median": "p50",
    "a run, 19 of 20": "p95",
}


def table_rows(backend: str, ours: PageMeasurement | None, theirs: PageMeasurement | None) -> list[str]:
    """Return a backend's rows of the table: the ratio, then both figures; dashes for a page without results."""
    lines = []
    for label, field in MEASURES.items():
        mine, other = (None if side is None else getattr(side, field) for side in (ours, theirs))
        if mine is None and other is None:
            continue
        shown = format_megabytes if field == "bytes" else formatting.format_milliseconds
        ratio = DASH if mine is None or other is None else f"{mine / other:.2f}"
        figures = (DASH if value is None else shown(value) for value in (mine, other))
        lines.append(f"| {formatting.runner_name(backend)} | {label} | {ratio} | {' | '.join(figures)} |")
    return lines
