"""From the lines of a measurement to a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime

from webbuild.probe.journal import Line
from webbuild.probe.native import version
from webbuild.probe.sweep import Swept
from webbuild.targets.schema import schema
from webbuild.targets.table import Case, Kernels, Table
from webbuild.targets.target import Target


def record(
    target: Target, adapter: str, browser: str, swept: Iterable[Swept], cases: Iterable[str], lines: dict[str, Line]
) -> Table:
    """Return the table of the sweep and of the cases of these names.

    Of the build without a GPU only those cases are kept that fail though they have a kernel.
    """
    found = [case for name in cases if (case := lines[name].case) is not None]
    kernels = _kernels(swept, lines)
    kept = [case for case in found if target.build != "wasm" or not _as_native(case, kernels)]
    return Table(
        target=target,
        measured=datetime.now(UTC).date().isoformat(),
        adapter=adapter,
        browser=browser,
        native=version(),
        kernels=kernels,
        cases=kept,
    )


def _as_native(case: Case, kernels: Kernels) -> bool:
    """Whether a case is right, or has no kernel, which the table says already."""
    found = schema(case.op, case.opset)
    rows = kernels.get(case.op, {}).get(str(found.since), {}) if found is not None else {}
    return case.outcome == "cpu" or (case.outcome == "no-session" and case.dtype in rows.get("none", []))


def _kernels(swept: Iterable[Swept], lines: dict[str, Line]) -> Kernels:
    found: Kernels = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for each in swept:
        place = lines[each.probe.name].place
        if place is not None:
            found[each.probe.op][str(each.since)][place].append(each.dtype)
    return {op: {since: dict(places) for since, places in rows.items()} for op, rows in found.items()}
