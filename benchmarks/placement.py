"""Nodes of the models in `models/` on the CPU of each target, before packing and after, with the reasons.

python -m benchmarks.placement --write
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import onnx_ir as ir
from msgspec import Struct

from benchmarks.page_markers import replace_marked
from webbuild.compile.compile_model import compile_model
from webbuild.compile.load_model import load_model
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.reporting.progress import ProgressReporter
from webbuild.targets.table import load_table
from webbuild.targets.target import parse_target
from webbuild.tasks.options.user_overrides import parse_overrides

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "placement.md"
TARGET = "1.30.0-webgpu"
MODELS = {
    "YOLO11-pose": "yolo-pose.onnx",
    "RT-DETR": "rt-detr/rt-detr.onnx",
    "Grounding DINO": "grounding-dino/grounding-dino.onnx",
    "Mask2Former": "mask2former-swin/mask2former.onnx",
    "depth from focus": "depth-from-focus/depth-from-focus.onnx",
}


class PlacementRow(Struct, frozen=True):
    """A model: both inspections, and why its target is disabled, empty if it is not."""

    model: str
    before: Inspection
    after: Inspection
    disabled: str


def row(name: str, file: Path, dims: dict[str, int] | None = None, task: str | None = None) -> PlacementRow:
    """Inspect a model as exported and as packed, with sizes for its dynamic dimensions."""
    opened = load_model(file, dims or {}, ProgressReporter(quiet=True))
    ready = compile_model(
        opened,
        parse_target(TARGET),
        task=task,
        nms="gpu",
        overrides=parse_overrides({}),
        progress=ProgressReporter(quiet=True),
    )
    before = _inspect(opened.source.model, opened.dims.dims)
    after = _inspect(ready.lowered.graphs["webgpu"], {})
    return PlacementRow(name, before, after, "" if ready.disabled_target is None else ready.disabled_target.code)


def _inspect(model: ir.Model, dims: dict[str, int]) -> Inspection:
    return inspect("", model, load_table(parse_target(TARGET)), dims)


def render_page(found: list[PlacementRow]) -> str:
    """Return the table in Markdown, and the remaining CPU nodes."""
    lines = ["| model | nodes | on the CPU | copies a run | left there |", "|---" * 5 + "|"]
    for row in found:
        pairs = (
            (len(row.before.nodes), len(row.after.nodes)),
            (row.before.placement_counts()["cpu"], row.after.placement_counts()["cpu"]),
            (len(row.before.transfers), len(row.after.transfers)),
        )
        cells = " | ".join(f"{before} -> {after}" for before, after in pairs)
        left = (
            f"steps to WASM: `{row.disabled}`"
            if row.disabled
            else "; ".join(_remaining_findings(row.after)) or "nothing"
        )
        lines.append(f"| {row.model} | {cells} | {left} |")
    return "\n".join(lines) + "\n"


def _remaining_findings(found: Inspection) -> Iterator[str]:
    for partition in found.partitions:
        what = ", ".join(f"{count} {operator}" for operator, count in partition.operators.items())
        types = dict.fromkeys(found.nodes[index].dtype for index in partition.nodes)
        yield f"{what} of {' and '.join(types)}"


def main() -> None:
    """Read the command line, inspect, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/placement.md")
    options = parser.parse_args()
    found = [row(name, ROOT / "models" / file) for name, file in MODELS.items()]
    print(render_page(found))
    if options.write:
        replace_marked(PAGE, render_page(found))


if __name__ == "__main__":
    main()
