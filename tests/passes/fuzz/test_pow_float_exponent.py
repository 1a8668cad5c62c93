"""Powers with int64 exponents."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.pow_float_exponent import PowFloatExponent


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=1) | st.lists(st.integers(-9, 9), min_size=4, max_size=4),
    st.integers(0, 999),
)
def test_powers(exponents: list[int], seed: int) -> None:
    x = np.random.default_rng(seed).uniform(0.5, 2, (3, 4)) * np.random.default_rng(seed).choice([-1, 1], (3, 4))
    feeds, weights = {"x": x.astype(np.float32)}, {"e": np.array(exponents, np.int64)}
    model = model_of([onnx.helper.make_node("Pow", ["x", "e"], ["y"])], feeds, 17, weights)
    assert_same(model, PowFloatExponent, feeds, 1e-6)  # native ONNX Runtime computes integer powers in float64
