"""A Softmax or LayerNormalization mixes rows if it normalizes their axis together with another."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from webbuild.passes.analysis.batch_axis import output_batch_axis
from webbuild.passes.analysis.mixed_rows import mixing_node

# opset, shape of x with n rows, node, whether it mixes the rows
CASES = {
    "before opset 13 all axes from axis 1": (12, "1,n,4", "Softmax (x)", True),
    "before opset 13 all axes from an axis": (12, "3,n,4", "Softmax <axis = 0> (x)", True),
    "before opset 13 the last axis": (12, "1,n,4", "Softmax <axis = 2> (x)", False),
    "since opset 13 the last axis": (13, "1,n,4", "Softmax (x)", False),
    "since opset 13 the first axis": (13, "3,n,4", "Softmax <axis = 0> (x)", False),
    "a logarithm before opset 13": (12, "1,n,4", "LogSoftmax (x)", True),
    "a normalization from the axis before": (17, "3,4,n", "LayerNormalization <axis = 1> (x, one)", True),
    "a normalization of the last axis": (17, "3,n,4", "LayerNormalization (x, one)", False),
}


@pytest.mark.parametrize("case", CASES)
def test_a_node_mixes_rows_if_it_normalizes_their_axis(case: str) -> None:
    opset, shape, node, mixes = CASES[case]
    model = ir.from_onnx_text(
        f'<ir_version: 8, opset_import: ["" : {opset}]> graph (float[{shape}] x) => (float[{shape}] y)'
        f" <float one = {{1}}> {{ y = {node} }}"
    )
    (x, *_), (last, *_) = model.graph.inputs, reversed(list(model.graph))
    assert (mixing_node([x], []) is last) is mixes
    if last.op_type == "Softmax":
        axis = shape.split(",").index("n")
        assert output_batch_axis(last, {x: axis}) == (None if mixes else axis)


def test_a_softmax_of_a_subgraph_may_be_of_an_older_opset() -> None:
    model = ir.from_onnx_text(
        """<ir_version: 8, opset_import: ["" : 12]> graph (float[1,n,4] x, bool c) => (float[1,n,4] y) {
            y = If (c) <then_branch = t () => (float[1,n,4] a) { a = Softmax (x) },
                        else_branch = e () => (float[1,n,4] b) { b = Relu (x) }>
        }"""
    )
    node = mixing_node([model.graph.inputs[0]], [])
    assert node is not None
    assert node.op_type == "Softmax"
