"""Networks with one pattern in the middle that float16 computes wrongly, and a precision search on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from benchmarks.fp16.rounding import RoundedFp16
from tests.precision.case import measured
from webbuild.manifest.manifest import Graph, TensorTask
from webbuild.passes.analysis import shape_inference
from webbuild.precision.accuracy_checker import AccuracyChecker
from webbuild.precision.budget import SearchBudget
from webbuild.precision.search import PrecisionSearch, SearchResult
from webbuild.samples.sample import Sample

SIZE = 16


def network(middle: str, constants: str = "", shape: str = "4,16", end: str = "") -> ir.Model:
    """Return layers around nodes that compute `b` from `a`. The nodes of `end` compute `y` from the last layer."""
    generator = np.random.default_rng(7)
    weights = ", ".join(f"{value:.4f}" for value in generator.normal(0, 0.3, SIZE * SIZE))
    head = f"[before] a0 = MatMul (x, weight)\n a = Sigmoid (a0)\n {middle or 'b = Relu (a)'}\n"
    tail = f" [behind] c = MatMul (b, weight)\n d = Tanh (c)\n {end or '[last] y = MatMul (d, weight)'}\n"
    text = (
        f'<ir_version: 8, opset_import: ["" : 17]>\ngraph (float[{shape}] x) => (float[{shape}] y)\n'
        f"<float[16,16] weight = {{{weights}}}{constants and ', ' + constants}>\n{{\n {head}{tail}}}"
    )
    model = ir.from_onnx_text(text)
    shape_inference.infer_shapes(model)
    return model


def searched(model: ir.Model, folder: Path, budget: SearchBudget | None = None, *, whole: bool = False) -> SearchResult:
    """Run the search on a network with three random inputs, in emulated float16."""
    return search_in(model, folder, budget).run(only_full=whole)


def search_in(model: ir.Model, folder: Path, budget: SearchBudget | None = None) -> PrecisionSearch:
    """Return a search on a network before it runs."""
    ir.save(model, folder / "graph.onnx")
    graph = Graph(target="webgpu", file="graph.onnx", weights=[], nodes=3, outputs=[], head_status=None)
    shape = [int(dim) for dim in model.graph.inputs[0].shape or () if isinstance(dim, int)]
    generator = np.random.default_rng(3)
    samples = [Sample(f"s{index}", {"x": generator.normal(0, 1, shape).astype(np.float32)}) for index in range(3)]
    judging = AccuracyChecker(graph, folder, TensorTask(), (), {}, samples)
    return PrecisionSearch(model, measured(), judging, RoundedFp16(), budget or SearchBudget(), print)
