"""The bound of a sum: reached by the worst input, and never exceeded."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from webbuild.passes.analysis import shape_inference
from webbuild.precision.activation_ranges import ActivationRange
from webbuild.precision.reduction_overflow import partial_sum_bound

TWO = ActivationRange(-2.0, 1.0, 0.5)


def bound(text: str, constants: str = "", opset: int = 18) -> float | None:
    named = f"<{constants}>" if constants else ""
    graph, _, body = text.partition("{")
    model = ir.from_onnx_text(f'<ir_version: 8, opset_import: ["" : {opset}]> g {graph}{named} {{{body}')
    shape_inference.infer_shapes(model)
    (node,) = [each for each in model.graph if each.op_type != "Constant"]
    return partial_sum_bound(node, {value.name or "": TWO for value in model.graph.inputs})


WEIGHTS = "float[2,3] w = {1, -2, 3, -1, 1, 0.5}"
AXIS = "int64[1] a = {1}"
CASES = {
    "a matrix of weights, by its heaviest column": (
        "(float[4,2] x) => (float[4,3] y) { y = MatMul (x, w) }", WEIGHTS, 7,
    ),
    "a transposed one, by its heaviest row": (
        "(float[4,3] x) => (float[4,2] y) { y = Gemm <transB = 1> (x, w) }", WEIGHTS, 12,
    ),
    "a convolution, by the heaviest of its filters": (
        "(float[1,1,4,4] x) => (float[1,2,4,2] y) { y = Conv (x, w) }", WEIGHTS.replace("[2,3]", "[2,1,1,3]"), 12,
    ),
    "two matrices, by their terms": ("(float[4,5] x, float[5,3] z) => (float[4,3] y) { y = MatMul (x, z) }", "", 20),
    "a mean, before it is divided": ("(float[4,5] x) => (float[4,1] y) { y = ReduceMean (x, a) }", AXIS, 10),
    "a sum of squares": ("(float[4,5] x) => (float[4,1] y) { y = ReduceSumSquare (x, a) }", AXIS, 20),
    "a maximum, which is no sum": ("(float[4,5] x) => (float[4,1] y) { y = ReduceMax (x, a) }", AXIS, None),
    "a pool, by its window": (
        "(float[1,1,4,4] x) => (float[1,1,3,3] y) { y = AveragePool <kernel_shape = [2, 2]> (x) }", "", 8,
    ),
    "a norm, by its squares": (
        "(float[1,1,4,4] x, float[1] s, float[1] b) => (float[1,1,4,4] y) { y = InstanceNormalization (x, s, b) }",
        "", 64,
    ),
    "what sums nothing": ("(float[4] x) => (float[4] y) { y = Exp (x) }", "", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_bound_is(name: str) -> None:
    text, constants, wanted = CASES[name]
    assert bound(text, constants) == (None if wanted is None else pytest.approx(wanted))
