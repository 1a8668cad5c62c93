"""Findings of a model before patching, and of its WebGPU graph afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.finding import Finding
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import exit_code
from webbuild.reporting.problem_text import see
from webbuild.reporting.quantities import format_count
from webbuild.targets.table import find_table
from webbuild.targets.target import Target

_MAX_NAMED = 3
"""Codes of warnings that are named where some are left, the most frequent ones."""


class BeforeAfter(Struct, frozen=True, rename="camel"):
    """Findings on a target, of the model as it was given and of what will be shipped. `fails` is about the latter."""

    target: str
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    fails: bool

    def summary_lines(self) -> list[str]:
        """Return what WebGPU will still fail at, and how much is left that only costs time, in lines."""
        errors = [finding for finding in self.after if finding.severity == "error"]
        slow = Counter(finding.code for finding in self.after if finding.severity == "warning")
        lines = []
        for index, each in enumerate(errors):
            lines.append(f"WILL FAIL on WebGPU [{each.code}] {each.where}: {each.summary}, {each.reason}")
            if each.code not in {earlier.code for earlier in errors[:index]}:
                lines.append(see(each.code))
        kinds = ", ".join(f"{code} {count}" for code, count in slow.most_common(_MAX_NAMED))
        counts = [format_count(len(errors), "error"), format_count(slow.total(), "warning")]
        left = f"{' and '.join(counts)} left{f' ({kinds})' if kinds else ''}" if self.after else "none left"
        return [*lines, f"{format_count(len(self.before), 'finding')} on WebGPU, {left}"]


def inspect_before_after(
    given: ir.Model, patched: ir.Model, target: Target, dims: Mapping[str, int]
) -> BeforeAfter | None:
    """Inspect both. None where the target was not measured."""
    known = find_table(target)
    if known is None:
        return None
    before, after = inspect("", given, known, dims), inspect("", patched, known, dims)
    return BeforeAfter(target.name, before.findings, after.findings, exit_code(after) != 0)
