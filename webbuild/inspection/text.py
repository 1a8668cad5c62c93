"""An inspection as text: the findings by code, the worst first, then the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.errors import printable
from webbuild.inspection.fp16_estimate import Fp16Estimate
from webbuild.inspection.result import Inspection
from webbuild.reporting.problem_text import see
from webbuild.reporting.quantities import format_bytes, format_count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from webbuild.inspection.finding import Finding
    from webbuild.inspection.measured_outcome import Measurement

_STYLE = {"error": "bold red", "warning": "yellow", "note": "dim"}
_MAX_LISTED = 3


def print_inspection(inspection: Inspection, console: Console) -> None:
    """Print an inspection as text."""
    from rich.text import Text

    for code, findings in inspection.findings_by_code():
        console.print(_finding_text(code, findings))
        console.print(Text(see(code)), soft_wrap=True)
    for line in summary(inspection):
        console.print(Text(printable(line), style="dim"))
    if inspection.fp16 is not None:
        console.print(Text(printable(fp16_summary(inspection.fp16)), style="dim"))
    style = "bold red" if inspection.count("error") else "bold green"
    console.print(Text(printable(f"{inspection.model} on {inspection.target}: {inspection.verdict()}"), style=style))


def print_measurement(measurement: Measurement, console: Console) -> None:
    """Print a table of predicted and measured placements by operator, then the differences."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("", "predicted: GPU", "CPU", "removed", "measured: GPU", "CPU", "removed"):
        table.add_column(name, justify="right" if name else "left")
    for line in measurement.operators:
        sides = (line.predicted, line.measured)
        counts = [str(count or "") for side in sides for count in (side.gpu, side.cpu, side.folded)]
        table.add_row(printable(line.operator), *counts)
    console.print(table)
    copies = "unknown" if measurement.measured_transfers is None else measurement.measured_transfers
    console.print(f"copies: {measurement.predicted_transfers} predicted, {copies} measured")
    console.print(f"outcome: '{measurement.predicted_outcome}' predicted, '{measurement.measured_outcome}' measured")
    if measurement.message:
        console.print(Text(printable(measurement.message), style="dim"))
    for each in measurement.disagreements:
        console.print(Text(printable(each), style="yellow"))
    if not measurement.disagreements:
        console.print(
            Text("the prediction was right: no node ran elsewhere, and the outcome is the same", style="green")
        )


def summary(inspection: Inspection) -> list[str]:
    """Return the placement of nodes and the memory estimate, in lines."""
    places, memory = inspection.placement_counts(), inspection.memory
    nodes = [
        f"{places['gpu']} on the GPU",
        f"{places['cpu']} on the CPU",
        f"{places['folded']} removed when the session is created",
        *([f"{places['none']} without a kernel"] if places["none"] else []),
    ]
    sizes = [f"{format_bytes(memory.weights)} of weights", f"{format_bytes(memory.activations)} of other tensors"]
    if memory.gpu is not None:
        packed = inspection.packed_peak
        after = "" if packed is None else f" ({format_bytes(packed.total)} after webbuild pack)"
        sizes.append(f"at most {format_bytes(memory.gpu.total)} on the GPU{after}, at {memory.gpu.where}")
    if memory.unknown_shapes:
        sizes.append(f"{format_count(memory.unknown_shapes, 'tensor')} of unknown size not counted")
    lines = [f"nodes: {', '.join(nodes)}", f"memory: {', '.join(sizes)}"]
    if inspection.transfers:
        moved = format_bytes(sum(copy.size or 0 for copy in inspection.transfers))
        lines.insert(1, f"copies: {len(inspection.transfers)} between GPU and CPU, {moved} per run")
    return lines


def fp16_summary(estimate: Fp16Estimate) -> str:
    """Return the float16 estimate in one line."""
    parts = [f"float16: {format_bytes(estimate.weight_bytes // 2)} less to load, on devices with shader-f16"]
    for what, names in (
        ("beyond float16's range", estimate.overflowing_constants),
        ("would become 0", estimate.underflowing_constants),
    ):
        if names:
            more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
            parts.append(f"{what}: {', '.join(repr(name) for name in names[:_MAX_LISTED])}{more}")
    if estimate.float32_only:
        listed = ", ".join(f"{number} {operator}" for operator, number in estimate.float32_only.items())
        parts.append(f"no float16 kernel for {listed}")
    return "; ".join([*parts, "webbuild pack --precision auto converts what keeps the results"])


def fix(findings: list[Finding]) -> str:
    """Return the fix of the findings of a code: the passes of `pack`, and the fix of the rest."""
    passes = list(dict.fromkeys(code for each in findings for code in each.fixed_by))
    rest = [each for each in findings if not each.fixed_by]
    packed = f"webbuild pack ({'pass' if len(passes) == 1 else 'passes'} {', '.join(passes)})"
    if not passes or not rest:
        return packed if passes else rest[0].fix
    return f"{packed}; it leaves {len(rest)} of them: {rest[0].fix}"


def _finding_text(code: str, findings: list[Finding]) -> Text:
    """Return the text of one code's findings: symptom and count, nodes, reason, fix."""
    from rich.text import Text

    first = findings[0]
    times = f" x{len(findings)}" if len(findings) > 1 else ""
    where = ", ".join(each.where for each in findings[:_MAX_LISTED])
    more = f" and {len(findings) - _MAX_LISTED} more" if len(findings) > _MAX_LISTED else ""
    return Text.assemble(
        (f"{first.severity}[{code}]{times} ", _STYLE[first.severity]),
        printable(f"{first.summary}: {first.reason}\n"),
        (printable(f"  {where}{more}\n"), "dim"),
        printable(f"  fix: {fix(findings)}"),
    )
