"""What is reduced of the elements that a mask selects is the same with the others in their places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.masked_reductions import MaskedReductions


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    steps=st.lists(st.sampled_from(("Abs", "Neg", "Exp", "Add", "Mul", "Sigmoid", "Tanh")), max_size=3),
    reduction=st.sampled_from(("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin")),
    low=st.sampled_from((-2.0, -0.3, 0.4)),
    keep=st.booleans(),
    opset=st.sampled_from((13, 17, 18)),
)
def test_a_reduction_of_what_is_selected(
    shape: list[int], steps: list[str], reduction: str, low: float, keep: bool, opset: int
) -> None:
    x = np.random.default_rng(len(steps)).uniform(-1, 1, shape).astype(np.float32)
    x.flat[0] = 0.9
    nodes = [
        helper.make_node("Greater", ["x", "low"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Transpose", ["found"], ["places"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "places"], ["v0"]),
    ]
    for number, op in enumerate(steps):
        more = ["half"] if op in ("Add", "Mul") else []
        nodes.append(helper.make_node(op, [f"v{number}", *more], [f"v{number + 1}"]))
    last = f"v{len(steps)}"
    if opset >= 18 or reduction == "ReduceSum":
        nodes.append(helper.make_node(reduction, [last, "axes"], ["y"], keepdims=int(keep)))
    else:
        nodes.append(helper.make_node(reduction, [last], ["y"], axes=[0], keepdims=int(keep)))
    held = {"low": np.float32(low), "half": np.float32(0.5), "axes": np.array([0], np.int64)}
    weights = {name: np.array(value) for name, value in held.items()}
    assert_same(model_of(nodes, {"x": x}, opset, weights), MaskedReductions, {"x": x}, 1e-6)
