"""Boolean operators written as And and Not."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_logic import DecomposeLogic


@given(st.sampled_from(("Or", "Xor", "Equal")), st.integers(0, 3), st.sampled_from((13, 17, 21)), st.integers(0, 999))
def test_pairs_of_truth_values(op: str, shared: int, opset: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = [2, 3, 4]
    feeds = {"a": draw.random(shape) < 0.5, "b": np.asarray(draw.random(shape[shared:]) < 0.5)}
    assert_same(model_of([onnx.helper.make_node(op, ["a", "b"], ["y"])], feeds, opset), DecomposeLogic, feeds)


@given(st.integers(-3, 3), st.booleans(), st.integers(0, 999))
def test_triangles_of_truth_values(k: int, upper: bool, seed: int) -> None:
    feeds = {"x": np.random.default_rng(seed).random((2, 3, 4)) < 0.7}
    node = onnx.helper.make_node("Trilu", ["x", "k"], ["y"], upper=int(upper))
    assert_same(model_of([node], feeds, 14, {"k": np.array(k)}), DecomposeLogic, feeds)
