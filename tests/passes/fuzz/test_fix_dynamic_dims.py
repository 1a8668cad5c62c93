"""A model with a fixed size computes the same as with a dynamic size."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.native import Session
from webbuild.passes.base import PassOptions
from webbuild.passes.static_shapes.fix_dynamic_dims import FixDynamicDims


@given(sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4), free=st.integers(1, 15), by_name=st.booleans())
def test_sizes_that_are_set(sizes: list[int], free: int, by_name: bool) -> None:
    x = np.random.default_rng(free).uniform(-1, 1, sizes).astype(np.float32)
    named = {axis: f"n{axis}" for axis in range(len(sizes)) if free >> axis & 1} or {0: "n0"}
    shape = [named.get(axis, size) for axis, size in enumerate(sizes)]
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("ReduceProd", ["sizes"], ["all"], keepdims=0),
        helper.make_node("Cast", ["all"], ["many"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x", "many"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    wanted = {(name if by_name else f"x:{axis}"): sizes[axis] for axis, name in named.items()}
    patched = ir.from_proto(onnx.shape_inference.infer_shapes(model))
    assert any(rewrite.applied for rewrite in FixDynamicDims().apply(patched, PassOptions(dims=wanted)))
    assert not any(rewrite.applied for rewrite in FixDynamicDims().apply(patched, PassOptions(dims=wanted)))
    for value in (*patched.graph.inputs, *patched.graph.outputs):
        assert value.shape is not None
        assert list(value.shape) == sizes
    np.testing.assert_array_equal(Session(patched).run({"x": x})["y"], Session(model).run({"x": x})["y"])
