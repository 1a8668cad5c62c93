"""Findings of a model before patching, and of its WebGPU graph after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.finding import Finding
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import GpuPeak, Inspection, exit_code
from webbuild.inspection.rules.model import gpu_memory, wasm_memory
from webbuild.reporting.problem_text import see
from webbuild.reporting.quantities import format_bytes, format_count
from webbuild.targets.table import find_table
from webbuild.targets.target import Target

_MAX_NAMED = 3
"""Maximum number of warning codes that are listed, the most frequent first."""


class BeforeAfter(Struct, frozen=True, rename="camel"):
    """Findings for a target, of the original model and of the patched graph. `fails` is about the patched graph.

    The peaks are the maximum GPU memory, None if nothing runs on the GPU.
    """

    target: str
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    fails: bool
    peak_before: GpuPeak | None = None
    peak_after: GpuPeak | None = None

    def summary_lines(self, *, disabled: bool = False) -> list[str]:
        """Return a line for each error and memory warning left on WebGPU, then the number of findings.

        A `disabled` graph is never run on WebGPU, so its errors are those that it would have.
        """
        will = "would fail" if disabled else "WILL FAIL"
        errors = [finding for finding in self.after if finding.severity == "error"]
        slow = Counter(finding.code for finding in self.after if finding.severity == "warning")
        lines = []
        for index, each in enumerate(errors):
            lines.append(f"{will} on WebGPU [{each.code}] {each.where}: {each.summary}, {each.reason}")
            if each.code not in {earlier.code for earlier in errors[:index]}:
                lines.append(see(each.code))
        for each in self.after:
            if each.code in (gpu_memory.code, wasm_memory.code):
                lines += [f"WARNING [{each.code}] {each.where}: {each.summary}: {each.reason}", f"  fix: {each.fix}"]
        kinds = ", ".join(f"{code} {count}" for code, count in slow.most_common(_MAX_NAMED))
        counts = [format_count(len(errors), "error"), format_count(slow.total(), "warning")]
        left = f"{' and '.join(counts)} left{f' ({kinds})' if kinds else ''}" if self.after else "none left"
        peaks = [format_bytes(peak.total) for peak in (self.peak_before, self.peak_after) if peak is not None]
        memory = f"; GPU memory {' -> '.join(dict.fromkeys(peaks))}" if peaks else ""
        return [*lines, f"{format_count(len(self.before), 'finding')} on WebGPU, {left}{memory}"]


def merge_stage_findings(findings: Mapping[str, BeforeAfter | None]) -> BeforeAfter | None:
    """Return the findings of all stages, each prefixed with its stage; those of a single unnamed stage as they are.

    Several stages have no peak: they may use GPU memory at the same time.
    """
    known = {name: each for name, each in findings.items() if each is not None}
    if not known or list(findings) == [""]:
        return known.get("")
    first = next(iter(known.values()))
    before, after = (
        tuple(
            msgspec.structs.replace(finding, where=f"{name}: {finding.where}")
            for name, each in known.items()
            for finding in getattr(each, part)
        )
        for part in ("before", "after")
    )
    return BeforeAfter(first.target, before, after, any(each.fails for each in known.values()))


def inspect_before_after(
    original: ir.Model, patched: ir.Model, target: Target, dims: Mapping[str, int], inspected: Inspection | None = None
) -> BeforeAfter | None:
    """Inspect both models, the patched one unless `inspected` is given; None if the target was not measured."""
    known = find_table(target)
    if known is None:
        return None
    before, after = inspect("", original, known, dims), inspected or inspect("", patched, known, dims)
    return BeforeAfter(
        target.name, before.findings, after.findings, exit_code(after) != 0, before.memory.gpu, after.memory.gpu
    )
