"""A OneHot with the type that its output is cast to."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.typed_one_hot import TypedOneHot


@given(st.integers(1, 5), st.integers(-3, 3), st.integers(0, 3), st.booleans(), st.integers(0, 999))
def test_what_is_chosen_is_cast(depth: int, off: int, axis: int, twice: bool, seed: int) -> None:
    feeds = {"x": np.random.default_rng(seed).integers(-7, 7, (2, 3, 2))}
    nodes = [
        onnx.helper.make_node("OneHot", ["x", "depth", "values"], ["chosen"], axis=axis),
        onnx.helper.make_node("Cast", ["chosen"], ["a"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Cast", ["chosen"], ["b"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Sub", ["a", "half"], ["c"]),
        onnx.helper.make_node("Add", ["b" if twice else "a", "c"], ["y"]),
    ]
    weights = {"depth": np.array(depth), "values": np.array([off, 5]), "half": np.array([0.5], np.float32)}
    assert_same(model_of(nodes, feeds, 13, weights), TypedOneHot, feeds)
