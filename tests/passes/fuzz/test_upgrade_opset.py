"""Models of opsets before 11."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.opset.upgrade_opset import UpgradeOpset


@given(
    st.integers(7, 10), st.sampled_from(({}, {"min": 0.0}, {"max": 6.0}, {"min": -1.0, "max": 0.5})), st.integers(0, 99)
)
def test_bounds(opset: int, bounds: dict[str, Any], seed: int) -> None:
    draw = np.random.default_rng(seed)
    feeds = {"x": (9 * draw.standard_normal((1, 3, 5, 5))).astype(np.float32)}
    weights = {"w": draw.standard_normal((2, 3, 3, 3)).astype(np.float32)}
    nodes = [onnx.helper.make_node("Conv", ["x", "w"], ["c"]), onnx.helper.make_node("Clip", ["c"], ["y"], **bounds)]
    assert_same(model_of(nodes, feeds, opset, weights), UpgradeOpset, feeds)


@given(st.integers(9, 10), st.integers(0, 1), st.integers(0, 99))
def test_scattered(opset: int, axis: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, places = draw.standard_normal((4, 5)).astype(np.float32), np.zeros((4, 5), np.int64)
    order = draw.permutation((4, 5)[axis])
    places += order[:, None] if axis == 0 else order
    feeds: dict[str, np.ndarray] = {"x": x, "i": places, "u": draw.standard_normal((4, 5)).astype(np.float32)}
    node = onnx.helper.make_node("Scatter", ["x", "i", "u"], ["y"], axis=axis)
    assert_same(model_of([node], feeds, opset), UpgradeOpset, feeds)
