"""Pools written as other operators."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_pools import DecomposePools


@given(st.sampled_from(("GlobalAveragePool", "GlobalMaxPool")), st.integers(22, 25), st.integers(0, 999))
def test_pools_of_everything_in_opset_22(op: str, opset: int, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-2, 2, (2, 3, 5, 4)).astype(np.float32)
    assert_same(model_of([onnx.helper.make_node(op, ["x"], ["y"])], {"x": x}, opset), DecomposePools, {"x": x}, 1e-5)
