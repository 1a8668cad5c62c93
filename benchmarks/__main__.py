"""Measure packing and running one export, and write a table: `python -m benchmarks build/yolo11n-pose.onnx`."""

from __future__ import annotations

import argparse
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import bundle_sizes, node_counts, pack_cost, wasm_latency
from benchmarks.page_markers import replace_marked

TABLE = Path(__file__).parents[1] / "docs" / "measurements.md"
MIB = 1024 * 1024


def rows(model: Path, rounds: int) -> Iterator[tuple[str, str]]:
    """Yield each measured quantity and its value."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle"
        packed = pack_cost.measure(model, bundle)
        yield "the model", f"{packed.model / MIB:.1f} MiB"
        yield "`webbuild pack --no-verify`", f"{packed.seconds:.1f} s"
        times = packed.memory / packed.model
        yield "memory at its peak, above the imports", f"{packed.memory / MIB:.0f} MiB, {times:.1f} times the model"
        alone = pack_cost.native_peak(model)
        yield "one native run of the export alone", f"{alone / MIB:.0f} MiB, {alone / packed.model:.1f} times the model"
        for tool, number in node_counts.count_nodes(model, bundle).items():
            yield f"nodes, {tool}", str(number)
        for part, size in bundle_sizes.measure(bundle).items():
            yield f"bytes of the bundle, {part}", f"{size.raw / MIB:.2f} MiB, gzipped {size.gzipped / MIB:.2f}"
        taken = wasm_latency.medians(model, bundle, rounds)
        ratio = taken["packed"] / taken["original"]
        yield "a run on WebAssembly, packed to original", f"{ratio:.3f} ({rounds} runs of each in turns, one thread)"
    yield "`webbuild --help`", f"{pack_cost.help_seconds():.2f} s"


def main() -> None:
    """Print the table, and write it with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--write", action="store_true", help=f"put the table into {TABLE.name}")
    arguments = parser.parse_args()
    lines = ["| measured | |", "|---|---|"]
    for what, value in rows(arguments.model.resolve(), arguments.rounds):
        lines.append(f"| {what} | {value} |")
        print(lines[-1], flush=True)
    if arguments.write:
        where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        table = "\n".join([f"On {where}:", "", *lines, ""])
        replace_marked(TABLE, table)


if __name__ == "__main__":
    main()
