"""ReduceLogSumExp with the maximum subtracted first gives the same, also where the sum overflows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.stable_logsumexp import StableLogSumExp


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    axes=st.lists(st.integers(0, 3), max_size=3, unique=True),
    keep=st.booleans(),
    size=st.sampled_from((0.1, 3.0, 50.0, 1000.0)),
    opset=st.sampled_from((10, 11, 13, 17, 18, 20)),
    seed=st.integers(0, 1000),
)
def test_sums_of_large_numbers(
    shape: list[int], axes: list[int], keep: bool, size: float, opset: int, seed: int
) -> None:
    x = np.random.default_rng(seed).normal(0, size, shape).astype(np.float32)
    named = [axis for axis in axes if axis < len(shape)]
    weights = {"axes": np.array(named, np.int64)} if named and opset >= 18 else {}
    node = helper.make_node("ReduceLogSumExp", ["x", *weights], ["y"], keepdims=int(keep))
    if named and opset < 18:
        node.attribute.append(helper.make_attribute("axes", named))
    assert_same(model_of([node], {"x": x}, opset, weights), StableLogSumExp, {"x": x}, 1e-5)
