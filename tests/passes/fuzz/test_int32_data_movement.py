"""Slices and Gathers of integers as int32."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.int32_data_movement import Int32DataMovement

EDGE = st.integers(-9, 9)
LOW, HIGH = -(2**31), 2**31 - 1


@given(st.tuples(EDGE, EDGE), st.tuples(EDGE, EDGE), st.sampled_from(((1, 1), (2, -1), (-3, 1))), st.integers(0, 999))
def test_cut(starts: tuple[int, int], ends: tuple[int, int], steps: tuple[int, int], seed: int) -> None:
    x = np.random.default_rng(seed).integers(LOW, HIGH, (5, 7)).astype(np.int32)
    cut = [x[:, slice(start, end, step)].size for start, end, step in zip(starts, ends, steps, strict=True)]
    assume(all(cut) and x[starts[0] : ends[0] : steps[0], starts[1] : ends[1] : steps[1]].size)
    given_ = {"s": starts, "e": ends, "a": (0, -1), "t": steps}
    weights = {name: np.array(each, np.int64) for name, each in given_.items()}
    node = onnx.helper.make_node("Slice", ["x", *weights], ["y"])
    assert_same(model_of([node], {"x": x}, 17, weights), Int32DataMovement, {"x": x})


@given(st.integers(0, 1), st.booleans(), st.integers(0, 999))
def test_gathered(axis: int, stored: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = draw.integers(LOW, HIGH, (4, 5), endpoint=True).astype(np.int32)
    places = draw.integers(-x.shape[axis], x.shape[axis], (4, 5)).astype(np.int64)
    both: dict[str, np.ndarray] = {"x": x, "p": places}
    feeds = {name: each for name, each in both.items() if name == "x" or not stored}
    weights = {"p": places} if stored else {}
    node = onnx.helper.make_node("GatherElements", ["x", "p"], ["y"], axis=axis)
    assert_same(model_of([node], feeds, 17, weights), Int32DataMovement, feeds)
