"""Weights in the blocked NCHWc layout of native ONNX Runtime on this machine: 8 or 16 channels, by CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest

from tests.models import HEADER, parsed, weights
from tests.native import runner
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.simplify.nchwc_to_nchw import NchwcToNchw

NETWORK = f"""{HEADER} g (float[1,3,6,6] x) => (float[1,14,3,3] y) <int64[2] sides = {{2, 3}}> {{
  a = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
  b = Relu (a)
  c = Conv <group = 20, pads = [1, 1, 1, 1]> (b, each)
  mean = ReduceMean (c, sides)
  squeezed = Conv (mean, narrow)
  gate = Conv (squeezed, wide)
  gated = Mul (c, gate)
  y = Conv (gated, v, bias)
}}"""
DEPTHWISE = f"""{HEADER} g (float[1,20,6,6] x) => (float[1,20,6,6] y) {{
  a = Conv <group = 20, pads = [1, 1, 1, 1]> (x, each)
  b = Conv <group = 20, pads = [1, 1, 1, 1]> (a, each)
  y = Add (a, b)
}}"""
"""20 channels fill no block, and no Conv before the first depthwise one pads them."""
SHAPES = {
    "w": (20, 3, 3, 3),
    "each": (20, 1, 3, 3),
    "narrow": (5, 20, 1, 1),
    "wide": (20, 5, 1, 1),
    "v": (14, 20, 1, 1),
}


@pytest.mark.parametrize(("text", "shape"), [(NETWORK, (1, 3, 6, 6)), (DEPTHWISE, (1, 20, 6, 6))])
def test_weights_get_back_their_order(tmp_path: Path, text: str, shape: tuple[int, ...]) -> None:
    network = parsed(text)
    for name, size in {**SHAPES, "v": (14, 20, 1, 1), "bias": (14,)}.items():
        if name in text:
            network.graph.initializer.append(ir.to_proto(ir.tensor(weights(*size, seed=len(name)), name=name)))
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    onnxruntime.InferenceSession(network.SerializeToString(), options, ["CPUExecutionProvider"])
    optimized = ir.load(options.optimized_model_filepath)
    assert sum(node.domain == "com.microsoft.nchwc" for node in optimized.graph) >= 4
    infer_shapes(optimized)  # which ends at the operators of the layout
    NchwcToNchw(PassOptions()).apply_to_each_graph(optimized)
    assert {node.domain for node in optimized.graph} == {""}
    feeds = {"x": weights(*shape, seed=9)}
    want, got = (each.run(feeds)["y"] for each in (runner(ir.from_proto(network)), runner(optimized)))
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * np.abs(want).max())
    assert np.abs(want).max() > 0.1
