"""Booleans and bytes stored as integers keep their values."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.bool_to_int import BoolToInt

SHAPE = (2, 3, 4)


def node(op: str, axis: int, start: int, back: bool) -> tuple[onnx.NodeProto, dict[str, np.ndarray]]:
    """Return a node that computes `y` from `a` and maybe `b`, and its constants."""
    one = {"axis": np.array([axis], np.int64)}
    match op:
        case "Concat":
            return helper.make_node(op, ["a", "b", "a"], ["y"], axis=axis), {}
        case "Slice":
            bounds = {"s": np.array([start - 4 if back else start]), "e": np.array([-99 if back else 99])}
            step = {"step": np.array([-1 if back else 1])}
            return helper.make_node(op, ["a", "s", "e", "axis", "step"], ["y"]), {**one, **bounds, **step}
        case "Transpose":
            return helper.make_node(op, ["a"], ["y"], perm=[axis, (axis + 1) % 3, (axis + 2) % 3]), {}
        case "Tile":
            return helper.make_node(op, ["a", "times"], ["y"]), {"times": np.array([1, start + 1, 2])}
        case "GatherElements":
            places = np.random.default_rng(start).integers(0, SHAPE[axis], SHAPE)
            return helper.make_node(op, ["a", "places"], ["y"], axis=axis), {"places": places}
        case "ReduceMax" | "ReduceMin":
            return helper.make_node(op, ["a", "axis"], ["y"], keepdims=int(back)), one
        case _:
            return helper.make_node(op, ["a", "b"], ["y"]), {}


@given(
    op=st.sampled_from(("Concat", "Slice", "Transpose", "Tile", "GatherElements", "ReduceMax", "ReduceMin")),
    axis=st.integers(0, 2),
    start=st.integers(0, 2),
    back=st.booleans(),
    seed=st.integers(0, 99),
)
def test_truth_values_are_the_same(op: str, axis: int, start: int, back: bool, seed: int) -> None:
    made, weights = node(op, axis, start, back)
    draw = np.random.default_rng(seed)
    feeds = {name: draw.integers(0, 2, SHAPE).astype(np.bool_) for name in ("a", "b") if name in made.input}
    assert_same(model_of([made], feeds, 20, weights), BoolToInt, feeds)


@given(
    op=st.sampled_from(("Concat", "Slice", "Transpose", "Tile", "GatherElements", "Equal", "Greater", "LessOrEqual")),
    axis=st.integers(0, 2),
    start=st.integers(0, 2),
    back=st.booleans(),
    seed=st.integers(0, 99),
)
def test_bytes_are_the_same(op: str, axis: int, start: int, back: bool, seed: int) -> None:
    made, weights = node(op, axis, start, back)
    draw = np.random.default_rng(seed)
    feeds = {name: draw.integers(0, 256, SHAPE).astype(np.uint8) for name in ("a", "b") if name in made.input}
    assert_same(model_of([made], feeds, 17, weights), BoolToInt, feeds)


@given(
    op=st.sampled_from(("Add", "Sub", "Mul", "Div", "Min", "Max", "Clip")),
    seed=st.integers(0, 999),
)
def test_bytes_are_counted_modulo_256(op: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    feeds = {"a": draw.integers(0, 256, SHAPE).astype(np.uint8), "b": draw.integers(1, 256, (4,)).astype(np.uint8)}
    if op == "Clip":
        feeds["b"] = feeds["b"][0:1].reshape(())
    assert_same(model_of([helper.make_node(op, ["a", "b"], ["y"])], feeds, 20), BoolToInt, feeds)


@given(st.integers(1, 3), st.integers(1, 2), st.integers(0, 99))
def test_the_largest_bytes_of_windows(kernel: int, stride: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(0, 256, (1, 2, 5, 6)).astype(np.uint8)
    made = helper.make_node("MaxPool", ["a"], ["y"], kernel_shape=[kernel, kernel], strides=[stride, stride])
    assert_same(model_of([made], {"a": x}, 20), BoolToInt, {"a": x})
