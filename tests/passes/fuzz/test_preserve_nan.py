"""Clips that propagate NaN."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.preserve_nan import PreserveNan

FLOATS = arrays(np.float32, (3, 4), elements=st.floats(-9, 9, width=32) | st.just(float("nan")))
BOUNDS = st.lists(st.floats(-5, 5, width=32), min_size=2, max_size=2).map(sorted)


@given(FLOATS, BOUNDS, st.sampled_from(("Relu", "Clip", "lower", "upper")), st.sampled_from((13, 17, 21)))
def test_they_bound_alike(x: np.ndarray, bounds: list[float], kind: str, opset: int) -> None:
    weights = {name: np.array(bound, np.float32) for name, bound in zip(("low", "high"), bounds, strict=True)}
    taken = {"Relu": [], "Clip": ["low", "high"], "lower": ["low"], "upper": ["", "high"]}[kind]
    node = onnx.helper.make_node("Relu" if kind == "Relu" else "Clip", ["x", *taken], ["y"])
    held = {name: weights[name] for name in taken if name}
    assert_same(model_of([node], {"x": x}, opset, held), PreserveNan, {"x": x})
