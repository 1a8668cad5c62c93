"""A legacy Softmax over several axes equals one over flattened rows."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.flatten_legacy_softmax import FlattenLegacySoftmax


@given(
    shape=st.lists(st.integers(1, 6), min_size=2, max_size=5),
    axis=st.integers(-5, 4),
    opset=st.sampled_from((9, 11, 12)),
)
def test_rows_of_several_axes(shape: list[int], axis: int, opset: int) -> None:
    assume(-len(shape) <= axis < len(shape) and (axis >= 0 or opset > 10))
    behind = shape[axis % len(shape) :]
    count = int(np.prod(behind))
    width = 4 if count % 4 == 0 else 2 if count % 2 == 0 else 1
    assume(len(behind) > 1 and behind[-1] % width)
    x = np.random.default_rng(count).normal(0, 4, shape).astype(np.float32)
    assert_same(
        model_of([helper.make_node("Softmax", ["x"], ["y"], axis=axis)], {"x": x}, opset),
        FlattenLegacySoftmax,
        {"x": x},
        1e-6,
    )
