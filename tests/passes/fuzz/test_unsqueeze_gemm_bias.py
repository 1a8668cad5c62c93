"""A scalar Gemm bias equals a bias of shape [1]."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.unsqueeze_gemm_bias import UnsqueezeGemmBias


@given(st.floats(-9, 9, width=32), st.sampled_from((0.5, 1.0, 2.0)), st.booleans(), st.booleans(), st.integers(0, 99))
def test_a_number_is_added(number: float, beta: float, fixed: bool, across: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    a, b = draw.normal(size=(9, 9)).astype(np.float32), draw.normal(size=(9, 5)).astype(np.float32)
    c = np.array(number, np.float32)
    feeds = {"a": a} if fixed else {"a": a, "c": c}
    nodes = [onnx.helper.make_node("Gemm", ["a", "b", "c"], ["y"], beta=beta, transA=int(across))]
    assert_same(model_of(nodes, feeds, 17, {"b": b, "c": c} if fixed else {"b": b}), UnsqueezeGemmBias, feeds)
