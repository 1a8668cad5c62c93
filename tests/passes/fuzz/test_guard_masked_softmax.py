"""A Softmax with fully masked rows."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.guard_masked_softmax import GuardMaskedSoftmax


@given(st.integers(1, 4), st.integers(1, 5), st.integers(-3, 2), st.sampled_from((13, 18, 21)), st.integers(0, 999))
def test_rows_of_minus_infinity_become_zeros(rows: int, columns: int, axis: int, opset: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = draw.uniform(-9, 9, (2, rows, columns)).astype(np.float32)
    x[draw.random(x.shape) < 0.6] = -np.inf
    x[0, 0, 0] = 1
    nodes = [
        onnx.helper.make_node("Softmax", ["x"], ["s"], axis=axis),
        onnx.helper.make_node("IsNaN", ["s"], ["n"]),
        onnx.helper.make_node("Where", ["n", "zero", "s"], ["y"]),
    ]
    model = model_of(nodes, {"x": x}, opset, {"zero": np.zeros((), np.float32)})
    assert_same(model, GuardMaskedSoftmax, {"x": x}, 1e-6)
