"""An inspection as text: the findings by code, the worst first, then the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.errors import printable
from webbuild.inspection.half import Half
from webbuild.inspection.inspection import Inspection
from webbuild.inspection.quantities import counted, in_bytes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from webbuild.findings import Finding
    from webbuild.inspection.truth import Measurement

_STYLE = {"error": "bold red", "warning": "yellow", "note": "dim"}
_SHOWN = 3


def show(inspection: Inspection, console: Console) -> None:
    """Print an inspection for people."""
    from rich.text import Text

    for code, found in inspection.by_code():
        console.print(_line(code, found))
    console.print(Text(printable(summary(inspection)), style="dim"))
    if inspection.half is not None:
        console.print(Text(printable(in_half(inspection.half)), style="dim"))
    style = "bold red" if inspection.count("error") else "bold green"
    console.print(Text(printable(f"{inspection.model} on {inspection.target}: {inspection.verdict()}"), style=style))


def show_measurement(measurement: Measurement, console: Console) -> None:
    """Print prediction and truth side by side, operator by operator, then where they differ."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("", "predicted: GPU", "CPU", "gone", "measured: GPU", "CPU", "gone"):
        table.add_column(name, justify="right" if name else "left")
    for line in measurement.operators:
        sides = (line.predicted, line.measured)
        counts = [str(count or "") for side in sides for count in (side.gpu, side.cpu, side.gone)]
        table.add_row(printable(line.operator), *counts)
    console.print(table)
    copies = "unknown" if measurement.copies is None else measurement.copies
    console.print(f"copies: {measurement.copies_predicted} predicted, {copies} measured")
    console.print(f"end: '{measurement.predicted}' predicted, '{measurement.measured}' measured")
    if measurement.message:
        console.print(Text(printable(measurement.message), style="dim"))
    for each in measurement.disagreements:
        console.print(Text(printable(each), style="yellow"))
    if not measurement.disagreements:
        console.print(Text("every node was where it was said to be, and the end is the predicted one", style="green"))


def summary(inspection: Inspection) -> str:
    """Return what runs where and what it takes, in a line."""
    places, memory = inspection.places(), inspection.memory
    parts = [
        f"{places['gpu']} nodes on the GPU",
        f"{places['cpu']} on the CPU",
        f"{places['folded']} gone while loading",
    ]
    if places["none"]:
        parts.append(f"{places['none']} without a kernel")
    moved = sum(copy.bytes or 0 for copy in inspection.copies)
    parts.append(f"{counted(len(inspection.copies), 'copy')}, {in_bytes(moved)} a run")
    parts.append(f"{in_bytes(memory.weights)} of weights, {in_bytes(memory.activations)} at work")
    if memory.unknown:
        parts.append(f"{counted(memory.unknown, 'tensor')} of unknown size")
    return "; ".join(parts)


def in_half(half: Half) -> str:
    """Return what float16 would need, in a line."""
    parts = [f"in float16: {in_bytes(half.weights // 2)} less to load, on devices with shader-f16"]
    for what, names in (("leaves float16's range", half.overflowing), ("would become 0", half.vanishing)):
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            parts.append(f"{what}: {', '.join(repr(name) for name in names[:_SHOWN])}{more}")
    if half.kept:
        listed = ", ".join(f"{number} {operator}" for operator, number in half.kept.items())
        parts.append(f"stay in float32 for want of a kernel: {listed}")
    return "; ".join([*parts, "webbuild pack --precision auto finds what changes no answer"])


def _line(code: str, found: list[Finding]) -> Text:
    """Return what is said of a code: what happens and how often, where, why, and the mend."""
    from rich.text import Text

    first = found[0]
    times = f" x{len(found)}" if len(found) > 1 else ""
    where = ", ".join(each.where for each in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    fix = f"webbuild pack, with its pass {first.mended_by}" if first.mended_by else first.fix
    return Text.assemble(
        (f"{first.severity}[{code}]{times} ", _STYLE[first.severity]),
        printable(f"{first.what}: {first.why}\n"),
        (printable(f"  {where}{more}\n"), "dim"),
        printable(f"  fix: {fix}"),
    )
