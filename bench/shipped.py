"""What of the models in `models/` is left on the CPU of each target, before packing and after, and why.

python -m bench.shipped --write
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import onnx_ir as ir
from msgspec import Struct

from bench.marked import rewrite
from webbuild.inspection.inspect import inspect
from webbuild.inspection.inspection import Inspection
from webbuild.inspection.kept_right import unfit
from webbuild.overrides import parse_overrides
from webbuild.prepared import Prepared, open_model, prepare
from webbuild.talk import Talk
from webbuild.targets.table import table
from webbuild.targets.target import parse

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "placement.md"
TARGETS = ("1.30.0-webgpu", "1.30.0-jsep")
MODELS = {
    "YOLO11-pose": "yolo-pose.onnx",
    "RT-DETR": "rt-detr/rt-detr.onnx",
    "Grounding DINO": "grounding-dino/grounding-dino.onnx",
    "Mask2Former": "mask2former-swin/mask2former.onnx",
    "depth from focus": "depth-from-focus/depth-from-focus.onnx",
}


class Row(Struct, frozen=True):
    """A model on a target: both inspections, and why the target does not run it, empty where it does."""

    model: str
    target: str
    before: Inspection
    after: Inspection
    withheld: str


def rows(name: str, file: Path, dims: dict[str, int] | None = None, task: str | None = None) -> Iterator[Row]:
    """Inspect a model as it was exported and as it is packed, with sizes for its free dimensions."""
    opened = open_model(file, dims or {}, Talk(quiet=True))
    ready = prepare(opened, parse(TARGETS[0]), task=task, nms="gpu", wanted=parse_overrides({}), talk=Talk(quiet=True))
    for target in TARGETS:
        before = _inspect(opened.source.model, target, opened.sizes.dims)
        after = _inspect(ready.planned.models["webgpu"], target, {})
        yield Row(name, target, before, after, _withheld(ready, target))


def _inspect(model: ir.Model, target: str, dims: dict[str, int]) -> Inspection:
    return inspect("", model, table(parse(target)), dims)


def _withheld(ready: Prepared, target: str) -> str:
    native = target == TARGETS[0]
    found = ready.withheld if native else unfit(ready.planned.models["webgpu"], table(parse(target)))
    return "" if found is None else found.code


def page(found: list[Row]) -> str:
    """Return the table in Markdown, and what is left."""
    lines = ["| model | target | nodes | on the CPU | copies a run | left there |", "|---" * 6 + "|"]
    for row in found:
        pairs = (
            (len(row.before.nodes), len(row.after.nodes)),
            (row.before.places()["cpu"], row.after.places()["cpu"]),
            (len(row.before.copies), len(row.after.copies)),
        )
        cells = " | ".join(f"{before} -> {after}" for before, after in pairs)
        left = f"steps to WASM: `{row.withheld}`" if row.withheld else "; ".join(_left(row.after)) or "nothing"
        lines.append(f"| {row.model} | {row.target} | {cells} | {left} |")
    return "\n".join(lines) + "\n"


def _left(found: Inspection) -> Iterator[str]:
    for island in found.islands:
        what = ", ".join(f"{count} {operator}" for operator, count in island.operators.items())
        types = dict.fromkeys(found.nodes[index].type for index in island.nodes)
        yield f"{what} of {' and '.join(types)}"


def main() -> None:
    """Read the command line, inspect, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/placement.md")
    options = parser.parse_args()
    found = [row for name, file in MODELS.items() for row in rows(name, ROOT / "models" / file)]
    print(page(found))
    if options.write:
        rewrite(PAGE, page(found))


if __name__ == "__main__":
    main()
