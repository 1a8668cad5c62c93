"""A graph in half precision next to the float32 graphs: it has its own weight files and its own manifest entry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir

from tests.models import HEADER, parsed, weights
from webbuild.bundle.graphs import write_graphs, write_reduced_precision_graph

WHOLE = "h = MatMul(x, w) y = Relu(h)"
HALF = "g = Cast <to = 10> (x) h = MatMul(g, w) r = Relu(h) y = Cast <to = 1> (r)"


def model(body: str, kind: type = np.float32) -> ir.Model:
    proto = parsed(f"{HEADER} g (float[64,64] x) => (float[64,64] y) {{ {body} }}")
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(64, 64).astype(kind), "w"))
    return ir.from_proto(proto)


def test_a_visitor_of_one_graph_downloads_nothing_of_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    webgpu, wasm = write_graphs({"webgpu": model(WHOLE), "wasm": model(f"{WHOLE} z = Neg(y)")}, folder)
    half = write_reduced_precision_graph(model(HALF, np.float16), "fp16", folder)
    assert webgpu.weights == wasm.weights
    assert not {half.file, *half.weights} & {webgpu.file, *webgpu.weights, wasm.file}
    (own,), (shared,) = ([(tmp_path / path).stat().st_size for path in graph.weights] for graph in (half, webgpu))
    assert (own, shared) == (64 * 64 * 2, 64 * 64 * 4)
    assert (half.name, half.features, webgpu.name, webgpu.features) == ("webgpu fp16", ["shader-f16"], "webgpu", [])
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        Path(path).name for path in {half.file, *half.weights, webgpu.file, wasm.file, *webgpu.weights}
    )


def test_what_stays_as_it_was_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (webgpu, _) = write_graphs({"webgpu": model(WHOLE), "wasm": model(f"{WHOLE} z = Neg(y)")}, folder)
    kept = "a = Cast <to = 10> (x) b = Cast <to = 1> (a) h = MatMul(b, w) y = Relu(h)"
    mixed = write_reduced_precision_graph(model(kept), "mixed", folder)
    assert (mixed.weights, mixed.features, mixed.precision) == (webgpu.weights, ["shader-f16"], "mixed")
    loaded = ir.load(tmp_path / mixed.file).graph.initializers["w"].const_value
    assert loaded is not None
    np.testing.assert_array_equal(loaded.numpy(), weights(64, 64))
