"""Effect of the passes on image networks at their published sizes: nodes, placement, GPU memory.

python -m models.zoo.published_sizes build/pictures
python -m benchmarks.picture_networks build/pictures --write

The networks are not run: a software adapter takes hours for graphs of this size. Each is planned as by
`webbuild inspect`, as exported and after the passes; results are stored next to the model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from benchmarks.page_markers import replace_marked
from benchmarks.result_cache import cached_result
from webbuild.inspection.inspect import inspect
from webbuild.inspection.result import Inspection
from webbuild.model.load import load_onnx
from webbuild.ortweb.packaged_assets import engine_version
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.passes.rewrite import nbytes
from webbuild.reporting.quantities import format_bytes
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

PAGE = Path(__file__).parents[1] / "docs" / "picture-networks.md"
TITLES = {
    "birefnet-lite": ("BiRefNet-lite (Swin-tiny)", "1024 x 1024", "birefnet"),
    "birefnet": ("BiRefNet (Swin-large)", "1024 x 1024", "birefnet"),
    "modnet": ("MODNet", "512 x 512", "modnet-mobile"),
    "rvm": ("Robust video matting, ratio 0.25", "1024 x 1024", "rvm"),
    "real-esrgan": ("Real-ESRGAN x4 (RRDB)", "128 x 128", "rrdb"),
    "real-esrgan-compact": ("Real-ESRGAN x4 (compact)", "256 x 256", "compact-upscaler"),
    "swinir": ("SwinIR x4", "64 x 64", "swinir"),
    "swin2sr": ("Swin2SR x4", "64 x 64", "swin2sr"),
    "lama": ("LaMa", "512 x 512", "big-lama"),
    "lama-matrices": ("LaMa, its spectrum by matrices", "512 x 512", "big-lama-matrices"),
}
"""The title of each network, its input size, and its small version in the zoo."""


class Plan(Struct, frozen=True):
    """Number of nodes, nodes on the CPU, the peak of GPU memory and its node, and the largest tensor."""

    nodes: int
    on_cpu: int
    peak: int
    where: str
    largest: int
    errors: int


class PictureNetwork(Struct, frozen=True):
    """A network's file, and its plans as exported and after the passes."""

    size: int
    before: Plan
    after: Plan


def measure(file: Path) -> PictureNetwork:
    """Plan a network before and after the passes."""
    table = load_table(Target(engine_version(), "webgpu"))
    model = load_onnx(file).model
    before = inspect(file.name, model, table, {})
    lowered = lower(model, PassOptions(table=table), ("webgpu",)).graphs["webgpu"]
    largest = max((nbytes(value) or 0 for node in lowered.graph for value in node.outputs), default=0)
    return PictureNetwork(file.stat().st_size, _plan(before, 0), _plan(inspect(file.name, lowered, table, {}), largest))


def _plan(found: Inspection, largest: int) -> Plan:
    places, peak = found.placement_counts(), found.memory.gpu
    return Plan(
        nodes=places["gpu"] + places["cpu"] + places["none"],
        on_cpu=places["cpu"],
        peak=0 if peak is None else peak.total,
        where="" if peak is None else peak.where.partition(" ")[0],
        largest=largest or found.memory.largest_bytes,
        errors=found.count("error"),
    )


def table_lines(found: dict[str, PictureNetwork]) -> Iterator[str]:
    """Yield the table in Markdown."""
    yield "| network | picture | weights | nodes | on the CPU | will fail | GPU memory | largest tensor | in the zoo |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, each in found.items():
        title, picture, small = TITLES[name]
        before, after = each.before, each.after
        cells = [
            title,
            picture,
            format_bytes(each.size),
            f"{before.nodes} -> {after.nodes}",
            f"{before.on_cpu} -> {after.on_cpu}",
            f"{before.errors} -> {after.errors}",
            f"{format_bytes(before.peak)} -> {format_bytes(after.peak)}, at a {after.where}",
            f"{format_bytes(before.largest)} -> {format_bytes(after.largest)}",
            f"`{small}`",
        ]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Read the command line, plan, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{PAGE.name}")
    options = parser.parse_args()
    found = {}
    for name in TITLES:
        if (file := options.folder / f"{name}.onnx").exists():
            found[name] = cached_result(file.with_suffix(".json"), PictureNetwork, partial(measure, file))
    text = "".join(f"{line}\n" for line in table_lines(found))
    print(text)
    if options.write:
        replace_marked(PAGE, text)


if __name__ == "__main__":
    main()
