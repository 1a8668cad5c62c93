"""Models of older opsets converted to a newer one give the same results, or stay unchanged."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.native import Session
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.opset.raise_opset import raise_opset

TARGET = 17
RESIZED = (
    "(float[1,2,4,4] x) => (float[1,2,8,8] y) <float[4] s = {1.0,1.0,2.0,2.0}, int64[4] z = {1,2,8,8}, float[0] e = {}>"
)
REGIONS = (
    "(float[1,2,8,8] x) => (float[2,2,2,2] y) <float[2,4] r = {0.0,1.0,4.0,6.0,2.5,2.0,7.0,7.0}, int64[2] i = {0,0}>"
)
SAME = {
    "scales": (11, RESIZED + ' { y = Resize <mode = "linear"> (x, e, s) }'),
    "sizes": (12, RESIZED + ' { y = Resize <mode = "nearest", nearest_mode = "floor"> (x, e, e, z) }'),
    "aligned corners": (
        12, RESIZED + ' { y = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (x, e, s) }'
    ),
    "sizes of opset 14": (14, RESIZED + ' { y = Resize <mode = "linear"> (x, e, e, z) }'),
    "softmax of the last axes": (12, "(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 1> (x) }"),
    "softmax of an axis that is not said": (11, "(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }"),
    "softmax of the last axis": (12, "(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 2> (x) }"),
    "logarithm of a softmax": (12, "(float[2,3] x) => (float[2,3] y) { y = LogSoftmax <axis = 0> (x) }"),
    "bounds": (11, "(float[2,3] x) => (float[2,3] y) <float l = {0.2}, float h = {0.6}> { y = Clip (x, l, h) }"),
    "summed axes": (12, "(float[2,3,4] x) => (float[2,4] y) { y = ReduceSum <axes = [1], keepdims = 0> (x) }"),
    "regions": (13, REGIONS + " { y = RoiAlign <output_height = 2, output_width = 2> (x, r, i) }"),
    "parts": (12, "(float[2,4] x) => (float[2,3] y) { r, y = Split <axis = 1, split = [1, 3]> (x) }"),
}  # fmt: skip


def written(opset: int, graph: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 7, opset_import: ["" : {opset}]> g {graph}')
    onnx.checker.check_model(model)
    return model


@pytest.mark.parametrize(("opset", "graph"), SAME.values(), ids=SAME)
def test_a_model_answers_the_same_in_a_newer_opset(opset: int, graph: str) -> None:
    before = written(opset, graph)
    model = ir.from_proto(before)
    infer_shapes(model)
    assert raise_opset(model, TARGET) is None
    after = ir.to_proto(model)
    onnx.checker.check_model(after, full_check=True)
    sizes = [dim.dim_value for dim in before.graph.input[0].type.tensor_type.shape.dim]
    feeds = {"x": np.random.default_rng(0).uniform(0, 1, sizes).astype(np.float32)}
    want, got = Session(before).run(feeds), Session(after).run(feeds)
    np.testing.assert_allclose(got["y"], want["y"], rtol=0, atol=1e-6)


def test_what_means_another_axis_stays() -> None:
    model = ir.from_proto(written(12, "(float[2,3] x) => (float[2,3] y) { y = Hardmax <axis = 0> (x) }"))
    infer_shapes(model)
    reason = raise_opset(model, TARGET)
    assert reason is not None
    assert "Hardmax" in reason
    assert model.opset_imports[""] == 12
