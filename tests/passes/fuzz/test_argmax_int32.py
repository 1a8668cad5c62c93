"""ArgMax with int32 indices, and everything computed from them, gives the same results."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.argmax_int32 import ArgmaxInt32


@given(
    shape=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    axis=st.integers(-4, 3),
    keep=st.booleans(),
    steps=st.lists(st.sampled_from(("Add", "Sub", "Mul", "Reshape")), max_size=3),
    number=st.integers(-1000, 1000),
    to=st.sampled_from((TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64)),
    levels=st.sampled_from((2, 5, 1000)),
    opset=st.sampled_from((13, 18)),
)
def test_the_first_of_the_largest(
    shape: list[int], axis: int, keep: bool, steps: list[str], number: int, to: int, levels: int, opset: int
) -> None:
    x = np.random.default_rng(levels).integers(0, levels, shape).astype(np.float32)
    place = axis % len(shape)
    nodes = [helper.make_node("ArgMax", ["x"], ["v0"], axis=place, keepdims=int(keep))]
    for at, op in enumerate(steps):
        nodes.append(helper.make_node(op, [f"v{at}", "line" if op == "Reshape" else "n"], [f"v{at + 1}"]))
    nodes.append(helper.make_node("Cast", [f"v{len(steps)}"], ["y"], to=to))
    weights = {"n": np.array(number, np.int64), "line": np.array([-1], np.int64)}
    assert_same(model_of(nodes, {"x": x}, opset, weights), ArgmaxInt32, {"x": x})
