"""TopK of rows that contain padding values: infinities, and the extremes of their type."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.guard_topk_padding import GuardTopkPadding


@given(
    rows=st.integers(1, 3),
    length=st.integers(3, 40).filter(lambda length: length.bit_count() > 1),
    hidden=st.integers(0, 40),
    largest=st.sampled_from((0, 1)),
    is_infinite=st.booleans(),
    half=st.booleans(),
    axis=st.sampled_from((0, 1, -1)),
    seed=st.integers(0, 9),
)
def test_hidden_numbers(
    rows: int, length: int, hidden: int, largest: int, is_infinite: bool, half: bool, axis: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    kind = np.float16 if half else np.float32
    least = -np.inf if is_infinite else np.finfo(kind).min
    shape = (length, rows) if axis == 0 else (rows, length)
    x = draw.integers(-5, 6, shape).astype(kind)
    alive = draw.permutation(rows * length).reshape(shape) >= hidden
    nodes = [
        helper.make_node("Where", ["alive", "x", "hidden"], ["scores"]),
        helper.make_node("TopK", ["scores", "k"], ["best", "index"], largest=largest, axis=axis),
        helper.make_node("Cast", ["best"], ["wide"], to=1),
        helper.make_node("Cast", ["index"], ["place"], to=1),
        helper.make_node("Concat", ["wide", "place"], ["y"], axis=0),
    ]
    weights = {"hidden": np.array(least if largest else -least, kind), "k": np.array([draw.integers(1, length + 1)])}
    feeds = {"x": x, "alive": alive}
    assert_same(model_of(nodes, feeds, 17, weights), GuardTopkPadding, feeds)
