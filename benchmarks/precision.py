"""Half precision of the models in `models/`: results, cost and savings of `webbuild pack --precision auto`.

python -m benchmarks.precision --write
python -m benchmarks.precision --keep build/precision   # the bundles too, for example to verify them in a browser
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.page_markers import replace_marked
from benchmarks.placement import MODELS, ROOT

PAGE = ROOT / "docs" / "precision.md"
_TOOK = re.compile(r"(\d+) evaluations? in ([\d.]+) s, ([\d.]+) s of CPU time")


class PrecisionRow(Struct, frozen=True):
    """A model's search: its result and cost, and bytes of graph and weights in half and in full precision."""

    model: str
    searched: dict[str, Any]
    evaluations: int
    seconds: float
    busy: float
    half: int
    whole: int


def measure_model(name: str, file: Path, keep: Path | None) -> PrecisionRow:
    """Pack a model into a folder of `keep`, or into a temporary one."""
    with tempfile.TemporaryDirectory() as folder:
        out = (keep or Path(folder)) / file.stem
        command = [
            sys.executable,
            "-m",
            "webbuild",
            "pack",
            str(file),
            "-o",
            str(out),
            "--force",
            "--precision",
            "auto",
        ]
        done = subprocess.run([*command, "--no-verify"], capture_output=True, text=True, check=False, cwd=ROOT)
        searches = list(_TOOK.finditer(done.stderr))
        if done.returncode or not searches:
            raise SystemExit(f"{name}: {done.stderr}")
        took = searches[-1]  # the search on the arithmetic of the proof
        manifest = json.loads((out / "manifest.json").read_bytes())
        sizes = {file["path"]: file["size"] for file in manifest["files"]}
        graphs = [graph for graph in manifest["graphs"] if graph["target"] == "webgpu"]
        bytes_ = [sum(sizes[path] for path in (graph["file"], *graph["weights"])) for graph in graphs]
        searched = json.loads((out / "report.json").read_bytes())["precisionSearch"]
    return PrecisionRow(name, searched, int(took[1]), float(took[2]), float(took[3]), bytes_[0], bytes_[-1])


def render_table(rows: list[PrecisionRow]) -> str:
    """Return the results as a Markdown table."""
    lines = [
        "| model | graph | nodes | multiplications | casts | transfer | evaluations | seconds, busy | error |",
        "|---" * 9 + "|",
    ]
    for each in rows:
        found = each.searched
        right = [tried for tried in found["steps"] if not tried["reason"]]
        best = max(right, key=lambda tried: _mean(tried["fraction"]))["toleranceUsed"] if right else {}
        errors = ", ".join(f"{output} {part:.2f}" for output, part in best.items() if part is not None)
        nodes = f"{100 * found['fp16Nodes'] / found['nodes']:.0f} %"
        transfer = f"{each.half / 1e6:.2f} of {each.whole / 1e6:.2f} MB, {100 * each.half / each.whole:.1f} %"
        early = ", ended early" if found["stopReason"] else ""
        flops, took = f"{100 * found['fraction']['flops']:.1f} %", f"{each.seconds:.0f}, {each.busy:.0f}{early}"
        counts = (str(found["casts"]), transfer, str(each.evaluations))
        cells = (each.model, found["precision"], nodes, flops, *counts, took, errors)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def render_float32_nodes(rows: list[PrecisionRow]) -> str:
    """Return the nodes that stayed float32, and the reasons, as a Markdown list."""
    lines = []
    for each in rows:
        lines.append(f"\n{each.model}, float16 computed by {each.searched['fp16Backend'].partition(':')[0]}:\n")
        for reason in each.searched["fp32Nodes"]:
            operators = ", ".join(f"{count} {name}" for name, count in reason["operators"].items())
            lines.append(f"- {reason['reason']}: {operators}")
    return "\n".join(lines) + "\n"


def _mean(part: dict[str, float]) -> float:
    return ((part["stored"] + part["computed"]) / 2 + part["flops"]) / 2


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/precision.md")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the bundles there")
    parser.add_argument("--only", nargs="*", default=list(MODELS), choices=list(MODELS))
    given = parser.parse_args()
    found = []
    for name in given.only:
        found.append(measure_model(name, ROOT / "models" / MODELS[name], given.keep))
        print(render_table(found[-1:]).splitlines()[-1], flush=True)
    text = render_table(found) + render_float32_nodes(found)
    if given.write:
        replace_marked(PAGE, f"Measured {time.strftime('%Y-%m')}.\n\n{text}")


if __name__ == "__main__":
    main()
