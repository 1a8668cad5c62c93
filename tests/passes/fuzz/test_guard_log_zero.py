"""Logarithms of 0."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.guard_log_zero import GuardLogZero

POSITIVE = arrays(np.float32, (3, 4), elements=st.one_of(st.just(0.0), st.floats(0, 2**20, width=32)))


@given(POSITIVE, st.sampled_from((None, "Relu", "Abs", "Sqrt")), st.sampled_from((13, 17, 21)))
def test_minus_infinity_stays(x: np.ndarray, before: str | None, opset: int) -> None:
    first = [] if before is None else [onnx.helper.make_node(before, ["x"], ["r"])]
    nodes = [*first, onnx.helper.make_node("Log", ["r" if first else "x"], ["y"])]
    exponential = onnx.helper.make_node("Exp", ["log"], ["y"])  # which distinguishes minus infinity from any number
    nodes[-1].output[0] = "log"
    assert_same(model_of([*nodes, exponential], {"x": x}, opset), GuardLogZero, {"x": x})
