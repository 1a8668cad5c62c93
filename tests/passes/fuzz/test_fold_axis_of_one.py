"""Selecting along an axis of size 1 keeps values, type and shape."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.fold_axis_of_one import FoldAxisOfOne

REDUCTIONS = ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd")


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    op=st.sampled_from((*REDUCTIONS, "ArgMax", "ArgMin", "Gather")),
    axis=st.integers(-4, 3),
    kept=st.integers(0, 1),
    place=st.sampled_from((np.array(0), np.array(-1), np.array([0]), np.array([[-1]]))),
)
def test_an_axis_of_one(shape: list[int], op: str, axis: int, kept: int, place: np.ndarray) -> None:
    axis = axis % len(shape) - (len(shape) if axis < 0 else 0)
    shape[axis] = 1
    every_row = op == "Gather" and axis % len(shape) == 0 and np.array_equal(place, [0])
    assume(not every_row)  # it is left unchanged, since it preserves the engine's Transposes before it
    x = np.random.default_rng(axis + 9).uniform(-1, 1, shape).astype(np.float32)
    x.flat[0] = np.nan
    if op == "Gather":
        node = helper.make_node(op, ["x", "place"], ["y"], axis=axis)
    elif op in REDUCTIONS:
        node = helper.make_node(op, ["x", "axis"], ["y"], keepdims=kept)
    else:
        node = helper.make_node(op, ["x"], ["y"], axis=axis, keepdims=kept)
    weights = {"place": place, "axis": np.array([axis])}
    read = {name: array for name, array in weights.items() if name in node.input}
    assert_same(model_of([node], {"x": x}, 18, read), FoldAxisOfOne, {"x": x})
