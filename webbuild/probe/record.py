"""From the lines of a measurement to a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime

from webbuild.probe.journal import Line
from webbuild.probe.native import version
from webbuild.probe.sweep import Swept
from webbuild.targets.table import Kernels, Table
from webbuild.targets.target import Target


def record(
    target: Target, adapter: str, browser: str, swept: Iterable[Swept], cases: Iterable[str], lines: dict[str, Line]
) -> Table:
    """Return the table of the sweep and of the cases of these names."""
    return Table(
        target=target,
        measured=datetime.now(UTC).date().isoformat(),
        adapter=adapter,
        browser=browser,
        native=version(),
        kernels=_kernels(swept, lines),
        cases=[case for name in cases if (case := lines[name].case) is not None],
    )


def _kernels(swept: Iterable[Swept], lines: dict[str, Line]) -> Kernels:
    found: Kernels = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for each in swept:
        place = lines[each.probe.name].place
        if place is not None:
            found[each.probe.op][str(each.since)][place].append(each.dtype)
    return {op: {since: dict(places) for since, places in rows.items()} for op, rows in found.items()}
