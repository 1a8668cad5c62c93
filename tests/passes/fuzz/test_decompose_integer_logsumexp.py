"""ReduceLogSumExp of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.decompose_integer_logsumexp import DecomposeIntegerLogSumExp


@given(
    st.lists(st.integers(-3, 2), min_size=0, max_size=2, unique_by=lambda axis: axis % 3),
    st.integers(0, 1),
    st.sampled_from((13, 18)),
    st.integers(1, 4),
    st.integers(0, 999),
)
def test_the_largest_are_counted(axes: list[int], keepdims: int, opset: int, spread: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-spread, spread, (4, 5, 6)).astype(np.int32)
    later = opset >= 18 and axes
    weights = {"axes": np.array(axes, np.int64)} if later else {}
    attributes: dict[str, Any] = {"axes": axes} if axes and not later else {}
    node = onnx.helper.make_node("ReduceLogSumExp", ["x", *weights], ["y"], keepdims=keepdims, **attributes)
    assert_same(model_of([node], {"x": x}, opset, weights), DecomposeIntegerLogSumExp, {"x": x})
