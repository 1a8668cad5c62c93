"""What packing takes of models at their published sizes, and what is left on the CPU of each target.

python -m bench.full_size build/full --write

The folder has what the recipes export with `--full-size random`: rt_detr/rt_detr.onnx and so on. Each bundle is written
beside its model, and what was found is kept there: a second call goes on where the first ended.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import onnx_ir as ir
from msgspec import Struct

from bench.held import taken
from webbuild.inspection.inspect import inspect
from webbuild.model import load
from webbuild.targets.table import table
from webbuild.targets.target import parse

PAGE = Path(__file__).parents[1] / "docs" / "full-size.md"
MARK = "<!-- measured -->\n", "<!-- /measured -->"
_MB = 1_000_000


class System(Struct, frozen=True):
    """A model of the folder, the sizes of its free dimensions that are no batch, and how else it is packed."""

    name: str
    title: str
    dims: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


SYSTEMS = (
    System("depth_from_focus", "depth from focus, 384 x 512"),
    System("rt_detr", "RT-DETR r50, 640 x 640"),
    System("mask2former", "Mask2Former Swin-tiny, 512 x 512"),
    System("grounding_dino", "Grounding DINO Swin-tiny, 800 x 800, 256 tokens", ("seq_len=256",), ("--task", "tensor")),
)


class Row(Struct, frozen=True):
    """What was measured. `placed` are, by target, nodes, those on the CPU, and copies a run; before and after."""

    title: str
    weights: int
    memory: int
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
    dims = [word for each in system.dims for word in ("--dim", each)]
    spent = taken(["pack", file, "-o", bundle, "--no-verify", "--force", *dims, *system.options])
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    report = json.loads((bundle / "report.json").read_text("utf-8"))
    graph = next(each for each in manifest["graphs"] if each["target"] in ("webgpu", "wasm"))
    sizes = {name: int(size) for name, _, size in (each.partition("=") for each in system.dims)}
    patched = ir.load(bundle / graph["file"])
    return Row(
        system.title,
        held,
        spent.memory,
        spent.processor,
        len(report["proofs"]),
        max(each["size"] for each in manifest["files"] if not each["parts"]),
        dict(_placed(load(file).model, sizes)),
        dict(_placed(patched, {})),
        {each["build"]: each["code"] for each in manifest["withheld"]},
    )


def _placed(model: ir.Model, sizes: dict[str, int]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    free = {str(dim): 1 for value in model.graph.inputs for dim in value.shape or () if not isinstance(dim, int)}
    for name in ("1.30.0-webgpu", "1.30.0-jsep"):
        found = inspect("", model, table(parse(name)), {**free, **sizes})
        yield name, (len(found.nodes), found.places()["cpu"], len(found.copies))


def page(rows: list[Row]) -> str:
    """Return the table in Markdown."""
    head = "| model | file | processor | own memory | largest file | target | nodes | on the CPU | copies |"
    lines = [head, "|---" * head.count(" | ") + "|---|"]
    for row in rows:
        times = row.memory / row.weights
        told = (
            f"{row.title} | {row.weights / _MB:.0f} MB | {row.processor:.0f} s"
            f" | {row.memory / _MB:.0f} MB, {times:.1f} x | {row.largest / 2**20:.1f} MiB"
        )
        for target, before in row.before.items():
            after = row.after[target]
            cells = [f"{one} -> {other}" for one, other in zip(before, after, strict=True)]
            away = row.withheld.get(target.rpartition("-")[2])
            name = target if away is None else f"{target}, stepping to WASM: `{away}`"
            lines.append(f"| {told} | {name} | {' | '.join(cells)} |")
            told = " | ".join([""] * 5)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/full-size.md")
    options = parser.parse_args()
    rows = []
    for system in SYSTEMS:
        kept = options.folder / system.name / "measured.json"
        if not kept.exists():
            kept.write_bytes(msgspec.json.encode(measure(system, options.folder)))
        rows.append(msgspec.json.decode(kept.read_bytes(), type=Row))
    print(page(rows))
    if options.write:
        before, rest = PAGE.read_text("utf-8").split(MARK[0])
        PAGE.write_text(before + MARK[0] + page(rows) + MARK[1] + rest.split(MARK[1])[1], "utf-8")


if __name__ == "__main__":
    main()
