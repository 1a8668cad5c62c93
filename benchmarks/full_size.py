"""The cost of packing models at their published sizes, and the nodes that stay on the CPU of each target.

python -m benchmarks.full_size build/full --write

The folder has the recipes' exports with `--full-size random`: rt_detr/rt_detr.onnx and so on. Each bundle and its
results are written next to its model: a second call continues where the first ended.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.page_markers import replace_marked
from benchmarks.peak_memory import measure_usage
from benchmarks.placement import row
from benchmarks.result_cache import cached_result
from webbuild.compare.by_output import group_by_output
from webbuild.compare.comparison import Comparison
from webbuild.inspection.result import Inspection

PAGE = Path(__file__).parents[1] / "docs" / "full-size.md"
_MB = 1_000_000


class System(Struct, frozen=True):
    """A model of the folder, the sizes of its dynamic dimensions except the batch, and its other pack options."""

    name: str
    title: str
    dims: dict[str, int] = {}
    task: str | None = None


SYSTEMS = (
    System("depth_from_focus", "depth from focus, 384 x 512"),
    System("rt_detr", "RT-DETR r50, 640 x 640"),
    System("mask2former", "Mask2Former Swin-tiny, 512 x 512"),
    System("grounding_dino", "Grounding DINO Swin-tiny, 800 x 800, 256 tokens", {"seq_len": 256}, "tensor"),
)


class FullSizeRow(Struct, frozen=True):
    """Measurements. `before` and `after` are the numbers of nodes, nodes on the CPU, and copies per run."""

    title: str
    weights: int
    memory: int
    clock: float
    processor: float
    comparisons: int
    largest: int
    before: tuple[int, int, int]
    after: tuple[int, int, int]
    disabled: str


def measure(system: System, folder: Path) -> FullSizeRow:
    """Pack a model without verification, and inspect it before and after."""
    file, bundle = folder / system.name / f"{system.name}.onnx", folder / system.name / "bundle"
    held = sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    dims = [word for name, size in system.dims.items() for word in ("--dim", f"{name}={size}")]
    task = [] if system.task is None else ["--task", system.task]
    spent = measure_usage(["pack", file, "-o", bundle, "--no-verify", "--no-cache", "--force", *dims, *task])
    report = json.loads((bundle / "report.json").read_text("utf-8"))
    files = json.loads((bundle / "manifest.json").read_text("utf-8"))["files"]
    placed = row(system.title, file, system.dims, system.task)
    return FullSizeRow(
        system.title,
        held,
        spent.memory,
        spent.clock,
        spent.processor,
        len(group_by_output(msgspec.convert(report["comparisons"], list[Comparison]))),
        max(each["size"] for each in files if not each["parts"]),
        _counts(placed.before),
        _counts(placed.after),
        placed.disabled,
    )


def _counts(found: Inspection) -> tuple[int, int, int]:
    return len(found.nodes), found.placement_counts()["cpu"], len(found.transfers)


def render_page(found: list[FullSizeRow]) -> str:
    """Return the table in Markdown."""
    head = "| model | file | time | processor | own memory | largest file | nodes | on the CPU | copies |"
    lines = [head, "|---" * head.count(" | ") + "|---|"]
    for each in found:
        times = each.memory / each.weights
        told = (
            f"{each.title} | {each.weights / _MB:.0f} MB | {each.clock:.0f} s | {each.processor:.0f} s"
            f" | {each.memory / _MB:.0f} MB, {times:.1f} x | {each.largest / 2**20:.1f} MiB"
        )
        cells = [f"{one} -> {other}" for one, other in zip(each.before, each.after, strict=True)]
        away = f" (on WASM: `{each.disabled}`)" if each.disabled else ""
        lines.append(f"| {told} | {' | '.join(cells)}{away} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/full-size.md")
    options = parser.parse_args()
    found = []
    for system in SYSTEMS:
        kept = options.folder / system.name / "measured.json"
        found.append(cached_result(kept, FullSizeRow, partial(measure, system, options.folder)))
    print(render_page(found))
    if options.write:
        replace_marked(PAGE, render_page(found))


if __name__ == "__main__":
    main()
