"""The lines of a comparison: the ratio first, then both figures."""

from __future__ import annotations

from bench.plain.measure import Side
from webbuild.bench.words import megabytes
from webbuild.verify import words

MEASURES = {
    "bytes of a first visit": "bytes",
    "to a session": "session",
    "to a first result": "first_result",
    "a run, median": "p50",
    "a run, 19 of 20": "p95",
}


def rows(backend: str, ours: Side, theirs: Side) -> list[str]:
    """Return a backend's lines of the table: the ratio first, then both."""
    lines = []
    for label, field in MEASURES.items():
        mine, plain = getattr(ours, field), getattr(theirs, field)
        shown = megabytes if field == "bytes" else words.milliseconds
        lines.append(f"| {words.name(backend)} | {label} | {mine / plain:.2f} | {shown(mine)} | {shown(plain)} |")
    return lines
