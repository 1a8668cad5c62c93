"""`webbuild bisect` compared with Polygraphy's `debug reduce`: the number of runs to find a planted fault, natively.

    python -m benchmarks.bisect_vs_polygraphy --polygraphy VENV/bin/polygraphy --write

Polygraphy calls a command to check whether a model still fails. Here that command runs the model with and without the
fault, on random inputs. The table counts sessions on the backend for webbuild, and checks for Polygraphy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from msgspec import Struct

from benchmarks.page_markers import replace_marked
from tests.bisect.generated import branches, feeds, graph
from tests.bisect.planted import Fault, Faulty, constant, overflow, swapped, trying_with
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.bisect.search import search_culprits
from webbuild.runners.native_unoptimized import UnoptimizedNativeRunner
from webbuild.runners.session import Array
from webbuild.subgraph.graph import ModelGraph

ROOT = Path(__file__).parents[1]
KINDS = {"constant": constant(1.5), "swapped": swapped, "overflow": overflow}
PAGE = ROOT / "docs" / "bisect.md"


class PlantedFault(Struct, frozen=True):
    """A fault in a graph: `chain` and `wide` are generated, `pose` is the shipped model."""

    graph: str
    node: int
    kind: str

    @property
    def fault(self) -> Fault:
        """The fault as the faulty engine applies it."""
        return Fault(self.node, ending="throws") if self.kind == "throws" else Fault(self.node, KINDS[self.kind])


class ReductionRow(Struct, frozen=True):
    """One tool's result: the number of runs and of remaining nodes, and whether the faulty node is among them."""

    runs: int
    nodes: int
    holds: bool


PLANTED_FAULTS = (
    *(PlantedFault("chain", node, kind) for node in (0, 20, 39) for kind in ("constant", "swapped", "throws")),
    *(PlantedFault("wide", node, kind) for node in (1, 22, 49) for kind in ("constant", "overflow", "throws")),
    *(PlantedFault("pose", node, kind) for node in (14, 130, 194, 241) for kind in ("constant", "throws")),
    *(PlantedFault("deep", node, kind) for node, kind in ((1234, "swapped"), (2400, "throws"))),
)


def planted_graph(name: str) -> tuple[ModelGraph, dict[str, Array]]:
    """Return a graph by its name, and its feeds."""
    if name == "pose":
        found = open_model_under_test(ModelSelection(ROOT / "models" / "yolo-pose.onnx"))
        return found.graph, found.inputs[0].feeds
    lengths = {"chain": (40,), "wide": (17, 23, 9), "deep": (500, 700, 600, 699)}[name]
    return graph(branches(lengths)), feeds("x")


def reduce_with_webbuild(planted: PlantedFault) -> ReductionRow:
    """Reduce with webbuild's bisection."""
    made, fed = planted_graph(planted.graph)
    with tempfile.TemporaryDirectory() as folder:
        trying, _ = trying_with(made, fed, Path(folder), [planted.fault])
        result = search_culprits(trying)
    (found,) = result.culprits
    return ReductionRow(result.sessions, len(found.subgraph), planted.node in found.subgraph)


def reduce_with_polygraphy(planted: PlantedFault, program: str) -> ReductionRow:
    """Reduce with Polygraphy, in its default mode."""
    made, fed = planted_graph(planted.graph)
    model = onnx.ModelProto()
    model.CopyFrom(made.model)
    names = {node.output[0]: f"n{index}" for index, node in enumerate(made.nodes)}
    for number, node in enumerate(model.graph.node):
        node.name = names.get(node.output[0], f"constant{number}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        onnx.save(model, folder / "model.onnx")
        shapes = [f"{value}:[{','.join(map(str, array.shape))}]" for value, array in fed.items()]
        check = [
            sys.executable,
            "-m",
            "benchmarks.bisect_vs_polygraphy",
            "--check",
            planted.graph,
            str(planted.node),
            planted.kind,
        ]
        command = [program, "debug", "reduce", "model.onnx", "-o", "reduced.onnx", "--model-input-shapes", *shapes]
        subprocess.run(
            [*command, "--check", "env", f"PYTHONPATH={ROOT}", *check, "polygraphy_debug.onnx"],
            cwd=folder, capture_output=True, check=False,
        )  # fmt: skip
        left = folder / "reduced.onnx"
        nodes = [node.name for node in onnx.load(left).graph.node] if left.is_file() else []
        nodes = [node for node in nodes if not node.startswith("constant")]
        return ReductionRow((folder / "runs").read_text("utf-8").count("\n"), len(nodes), f"n{planted.node}" in nodes)


def has_fault(planted: PlantedFault, path: Path) -> int:
    """Return Polygraphy's exit code: 1 if the fault changes a model's outputs on random inputs, else 0."""
    with Path("runs").open("a") as stream:
        stream.write("run\n")
    model = onnx.load(path)
    generator = np.random.default_rng(0)
    fed = {}
    for value in model.graph.input:
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        sizes = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        floats = np.dtype(kind).kind == "f"
        fed[value.name] = (generator.standard_normal(sizes) if floats else generator.integers(0, 2, sizes)).astype(kind)
    want: dict[str, Array] = {}
    got: dict[str, Array] = {}
    data = model.SerializeToString()
    if UnoptimizedNativeRunner().run_model(data, fed, want.__setitem__).status != "ran":
        return 0  # a model that does not run shows nothing about the fault
    if Faulty(planted.fault).run_model(data, fed, got.__setitem__).status != "ran":
        return 1
    return int(any(not np.allclose(want[name], got[name], rtol=0, atol=1e-4, equal_nan=True) for name in want))


def render_table(rows: Sequence[tuple[PlantedFault, ReductionRow, ReductionRow]]) -> str:
    """Return the results as a Markdown table."""
    told = [
        "| graph | node | fault | sessions | nodes left | Polygraphy: checks | nodes left |",
        "|---|---|---|---|---|---|---|",
    ]
    for planted, own, other in rows:
        about = f"{planted.graph} | {planted.node} | {planted.kind}"
        told.append(f"| {about} | {own.runs} | {_nodes(own)} | {other.runs} | {_nodes(other)} |")
    return "\n".join(told)


def _nodes(row: ReductionRow) -> str:
    if not row.nodes:
        return "no model"
    return str(row.nodes) if row.holds else f"{row.nodes}, the guilty one not among them"


def main(arguments: Sequence[str]) -> int:
    """Measure and print; with `--write` also into the docs. `--check` is the command that Polygraphy calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--polygraphy", default="polygraphy")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", type=int, default=len(PLANTED_FAULTS))
    parser.add_argument("--check", nargs=4, metavar=("GRAPH", "NODE", "KIND", "MODEL"))
    given = parser.parse_args(arguments)
    if given.check:
        name, node, kind, model = given.check
        return has_fault(PlantedFault(name, int(node), kind), Path(model))
    rows = []
    for planted in PLANTED_FAULTS[: given.only]:
        rows.append((planted, reduce_with_webbuild(planted), reduce_with_polygraphy(planted, given.polygraphy)))
        print(render_table(rows[-1:]).splitlines()[-1], flush=True)
    if given.write:
        replace_marked(PAGE, f"{render_table(rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
