"""Computing in float32 equals float64 up to rounding."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.float64_to_float32 import Float64ToFloat32

_BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")


@given(
    shape=st.lists(st.integers(1, 4), max_size=3),
    steps=st.lists(st.sampled_from((*_BINARY, "Exp", "Sigmoid", "Constant", "Range")), min_size=1, max_size=5),
    number=st.floats(0.1, 10),
    opset=st.sampled_from((13, 17, 21)),
)
def test_a_part_in_float64(shape: list[int], steps: list[str], number: float, opset: int) -> None:
    x = np.random.default_rng(opset).uniform(-1, 1, shape).astype(np.float32)
    nodes = [helper.make_node("Cast", ["x"], ["v0"], to=TensorProto.DOUBLE)]
    for at, op in enumerate(steps):
        value, result = f"v{at}", f"v{at + 1}"
        if op == "Constant":
            held = helper.make_tensor("held", TensorProto.DOUBLE, [1], [number])
            nodes.append(helper.make_node("Constant", [], [f"c{at}"], value=held))
            nodes.append(helper.make_node("Mul", [value, f"c{at}"], [result]))
        elif op == "Range":
            nodes.append(helper.make_node("Range", ["zero", "two", "n"], [f"r{at}"]))
            nodes.append(helper.make_node("ReduceSum", [f"r{at}"], [f"s{at}"], keepdims=0))
            nodes.append(helper.make_node("Add", [value, f"s{at}"], [result]))
        elif op in _BINARY:
            nodes.append(helper.make_node(op, [value, "n"], [result]))
        else:
            nodes.append(helper.make_node("Tanh", [value], [f"t{at}"]))
            nodes.append(helper.make_node(op, [f"t{at}"], [result]))
    nodes.append(helper.make_node("Cast", [f"v{len(steps)}"], ["y"], to=TensorProto.FLOAT))
    weights = {"n": np.array(number), "zero": np.array(0.0), "two": np.array(2.0)}
    assert_same(model_of(nodes, {"x": x}, opset, weights), Float64ToFloat32, {"x": x}, 1e-5)
