"""What packing takes of models at their published sizes, and what is left on the CPU of each target.

python -m bench.full_size build/full --write

The folder has what the recipes export with `--full-size random`: rt_detr/rt_detr.onnx and so on. Each bundle is written
beside its model, and what was found is kept there: a second call goes on where the first ended.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from msgspec import Struct

from bench.held import taken
from bench.marked import rewrite
from bench.remembered import remembered
from bench.shipped import rows
from webbuild.inspection.inspection import Inspection

PAGE = Path(__file__).parents[1] / "docs" / "full-size.md"
_MB = 1_000_000


class System(Struct, frozen=True):
    """A model of the folder, the sizes of its free dimensions that are no batch, and how else it is packed."""

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


class Row(Struct, frozen=True):
    """What was measured. `placed` are, by target, nodes, those on the CPU, and copies a run; before and after."""

    title: str
    weights: int
    memory: int
    clock: float
    processor: float
    comparisons: int
    largest: int
    before: dict[str, tuple[int, int, int]]
    after: dict[str, tuple[int, int, int]]
    withheld: dict[str, str]


def measure(system: System, folder: Path) -> Row:
    """Pack a model without verification, and inspect it before and after."""
    file, bundle = folder / system.name / f"{system.name}.onnx", folder / system.name / "bundle"
    held = sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    dims = [word for name, size in system.dims.items() for word in ("--dim", f"{name}={size}")]
    task = [] if system.task is None else ["--task", system.task]
    spent = taken(["pack", file, "-o", bundle, "--no-verify", "--force", *dims, *task])
    report = json.loads((bundle / "report.json").read_text("utf-8"))
    files = json.loads((bundle / "manifest.json").read_text("utf-8"))["files"]
    placed = list(rows(system.title, file, system.dims, system.task))
    return Row(
        system.title,
        held,
        spent.memory,
        spent.clock,
        spent.processor,
        len(report["proofs"]),
        max(each["size"] for each in files if not each["parts"]),
        {row.target: _counts(row.before) for row in placed},
        {row.target: _counts(row.after) for row in placed},
        {row.target: row.withheld for row in placed if row.withheld},
    )


def _counts(found: Inspection) -> tuple[int, int, int]:
    return len(found.nodes), found.places()["cpu"], len(found.copies)


def page(rows: list[Row]) -> str:
    """Return the table in Markdown."""
    head = "| model | file | time | processor | own memory | largest file | target | nodes | on the CPU | copies |"
    lines = [head, "|---" * head.count(" | ") + "|---|"]
    for row in rows:
        times = row.memory / row.weights
        told = (
            f"{row.title} | {row.weights / _MB:.0f} MB | {row.clock:.0f} s | {row.processor:.0f} s"
            f" | {row.memory / _MB:.0f} MB, {times:.1f} x | {row.largest / 2**20:.1f} MiB"
        )
        for target, before in row.before.items():
            after = row.after[target]
            cells = [f"{one} -> {other}" for one, other in zip(before, after, strict=True)]
            away = row.withheld.get(target)
            name = target if away is None else f"{target}, stepping to WASM: `{away}`"
            lines.append(f"| {told} | {name} | {' | '.join(cells)} |")
            told = " | ".join([""] * 6)
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
        found.append(remembered(kept, Row, partial(measure, system, options.folder)))
    print(page(found))
    if options.write:
        rewrite(PAGE, page(found))


if __name__ == "__main__":
    main()
