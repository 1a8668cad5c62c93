"""Adding 0, padding by 0 and full slices can be removed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.eliminate_no_ops import EliminateNoOps


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    steps=st.lists(st.sampled_from(("Pad", "Slice", "Concat")), min_size=1, max_size=3),
    axis=st.integers(0, 3),
    parts=st.integers(1, 3),
    opset=st.sampled_from((11, 13, 18)),
)
def test_steps_that_change_nothing(shape: list[int], steps: list[str], axis: int, parts: int, opset: int) -> None:
    x = np.random.default_rng(parts).uniform(-1, 1, shape).astype(np.float32)
    axis %= len(shape)
    nodes = [helper.make_node("Neg", ["x"], ["v0"])]
    for at, op in enumerate(steps):
        value, result = f"v{at}", f"v{at + 1}"
        if op == "Pad":
            nodes.append(helper.make_node("Pad", [value, "none"], [result]))
        elif op == "Slice":
            nodes.append(helper.make_node("Slice", [value, "start", "end", "axis"], [result]))
        else:
            nodes.append(helper.make_node("Concat", [*["empty"] * parts, value, "empty"], [result], axis=axis))
    nodes.append(helper.make_node("Abs", [f"v{len(steps)}"], ["y"]))
    weights = {
        "none": np.zeros(2 * len(shape), np.int64),
        "start": np.array([0]),
        "end": np.array([2**40]),
        "axis": np.array([axis]),
        "empty": np.zeros([0 if at == axis else size for at, size in enumerate(shape)], np.float32),
    }
    assert_same(model_of(nodes, {"x": x}, opset, weights), EliminateNoOps, {"x": x})
