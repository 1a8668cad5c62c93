"""Builds a kernel table from the records of a measurement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime

from webbuild.probe.kernel_sweep import KernelProbe
from webbuild.probe.native_process import reference_version
from webbuild.probe.record import ProbeRecord
from webbuild.targets.schema import find_schema
from webbuild.targets.table import KernelPlacements, KernelTable, MeasuredCase
from webbuild.targets.target import Target


def build_table(
    target: Target,
    adapter: str,
    browser: str,
    swept: Iterable[KernelProbe],
    cases: Iterable[str],
    lines: dict[str, ProbeRecord],
) -> KernelTable:
    """Return the table of the sweep and of the named cases.

    For a WASM build, only cases are kept that fail although they have a kernel.
    """
    measured_cases = [case for name in cases if (case := lines[name].case) is not None]
    kernels = _kernels(swept, lines)
    special_cases = [case for case in measured_cases if target.build != "wasm" or not _matches_native(case, kernels)]
    return KernelTable(
        target=target,
        measured=datetime.now(UTC).date().isoformat(),
        adapter=adapter,
        browser=browser,
        native=reference_version(),
        kernels=kernels,
        cases=special_cases,
    )


def _matches_native(case: MeasuredCase, kernels: KernelPlacements) -> bool:
    """Whether a case is right, or has no kernel, which the table already contains."""
    schema = find_schema(case.op, case.opset)
    rows = kernels.get(case.op, {}).get(str(schema.since), {}) if schema is not None else {}
    return case.outcome == "cpu" or (case.outcome == "no-session" and case.dtype in rows.get("none", []))


def _kernels(swept: Iterable[KernelProbe], lines: dict[str, ProbeRecord]) -> KernelPlacements:
    kernels: KernelPlacements = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for each in swept:
        placement = lines[each.probe.name].placement
        if placement is not None:
            kernels[each.probe.op][str(each.schema_version)][placement].append(each.dtype)
    return {op: {since: dict(places) for since, places in rows.items()} for op, rows in kernels.items()}
