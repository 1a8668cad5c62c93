"""Download size of the shipped models with 8-bit weights, relative to float weights.

python -m benchmarks.weight_quantization build/int8 --write

Each bundle and its results are written into the folder: a second call continues where the first ended.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.page_markers import replace_marked
from benchmarks.placement import MODELS, ROOT
from benchmarks.result_cache import cached_result
from webbuild.compare.by_output import group_by_output
from webbuild.compare.comparison import Comparison
from webbuild.reporting.comparison_text import describe_distance, output_title

PAGE = ROOT / "docs" / "weights.md"
_STEP = re.compile(r"quantize the weights \(([\d.]+) s\)")


class QuantizationRow(Struct, frozen=True):
    """Measurements of a model. Bytes are of the WebGPU graph and its weights.

    `weights` and `graph` are bytes of (float files, the same gzipped, stored files). `bits` are shares of the numbers
    by their number of bits, `errors` the comparison of each output that used most of its tolerance.
    """

    name: str
    weights: tuple[int, int, int]
    graph: tuple[int, int, int]
    bits: dict[int, float]
    errors: dict[str, str]
    evaluations: int
    seconds: float


def measure(name: str, model: Path, bundle: Path) -> QuantizationRow:
    """Pack a model without verification, and read what its report says."""
    command = [sys.executable, "-m", "webbuild", "pack", str(model), "-o", str(bundle), "--no-verify", "--force"]
    done = subprocess.run([*command, "--weight-dtype", "int8"], capture_output=True, text=True, check=False)
    step = _STEP.search(done.stderr)
    if done.returncode or step is None:
        raise RuntimeError(done.stderr)
    report, manifest = (json.loads((bundle / f"{file}.json").read_bytes()) for file in ("report", "manifest"))
    told = report["weightQuantization"]
    files = {file["path"]: file for file in manifest["files"]}
    webgpu = next(graph for graph in manifest["graphs"] if graph["target"] == "webgpu")
    graph = files[webgpu["file"]]
    return QuantizationRow(
        name,
        (told["floats"], told["gzipped"], told["stored"]),
        (graph["uncompressedSize"], graph["size"], graph["size"]),
        _bits(told),
        dict(_errors(msgspec.convert(report["comparisons"], list[Comparison]))),
        told["tried"],
        float(step[1]),
    )


def _bits(told: dict[str, Any]) -> dict[int, float]:
    counts = Counter({8: told["eight"]})
    for each in told["wide"]:
        counts[each["bits"]] += prod(each["shape"])
    return {bits: count / told["numbers"] for bits, count in sorted(counts.items())}


def _errors(comparisons: list[Comparison]) -> Iterator[tuple[str, str]]:
    worst: dict[str, tuple[float, str]] = {}
    for group in group_by_output(comparisons).values():
        used = max(each.tolerance_used for each in group)
        known = worst.get(output_title(group), (0.0, ""))
        worst[output_title(group)] = max(known, (used, describe_distance(group)))
    for output, (used, distance) in worst.items():
        yield output, f"{distance} ({100 * used:.0f} % of what may be)"


def render_page(found: list[QuantizationRow]) -> str:
    """Return the tables in Markdown."""
    columns = (
        *("model", "weights: floats -> stored", "graph -> stored", "transfer, plain host", "transfer, host that gzips"),
        *("weights alone", "bits of the numbers", "runs", "seconds"),
    )
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in found:
        (floats, floats_gz, stored), (graph, graph_gz, _) = row.weights, row.graph
        plain, gzipped = (stored + graph_gz) / (floats + graph), (stored + graph_gz) / (floats_gz + graph_gz)
        bits = ", ".join(f"{bits}: {100 * part:.1f} %" for bits, part in row.bits.items())
        lines.append(
            f"| {row.name} | {floats:,} -> {stored:,} | {graph:,} -> {graph_gz:,} | {100 * plain:.1f} % |"
            f" {100 * gzipped:.1f} % | {100 * stored / floats:.1f} % | {bits} | {row.evaluations} | {row.seconds:.0f} |"
        )
    lines += ["", "| model | output | furthest from the original |", "|---|---|---|"]
    lines += [f"| {row.name} | {output} | {said} |" for row in found for output, said in row.errors.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the command line, measure what was not measured yet, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/weights.md")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, file in MODELS.items():
        out = options.folder / Path(file).stem
        found.append(
            cached_result(
                out.with_suffix(".json"), QuantizationRow, partial(measure, name, ROOT / "models" / file, out)
            )
        )
    print(render_page(found))
    if options.write:
        replace_marked(PAGE, render_page(found))


if __name__ == "__main__":
    main()
