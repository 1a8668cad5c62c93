"""Splits into many parts."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.limits.split_many_outputs import SplitManyOutputs


@given(st.lists(st.integers(1, 3), min_size=8, max_size=60), st.integers(-2, 1), st.sampled_from((13, 18)))
def test_the_parts_stay_the_same(sizes: list[int], axis: int, opset: int) -> None:
    shape = [2, 2]
    shape[axis] = sum(sizes)
    x = np.arange(1, 2 * sum(sizes) + 1, dtype=np.float32).reshape(shape)
    parts = [f"part{index}" for index in range(len(sizes))]
    nodes = [
        onnx.helper.make_node("Split", ["x", "sizes"], parts, axis=axis),
        onnx.helper.make_node("Concat", parts[::-1], ["y"], axis=axis),
    ]
    assert_same(model_of(nodes, {"x": x}, opset, {"sizes": np.array(sizes)}), SplitManyOutputs, {"x": x})
