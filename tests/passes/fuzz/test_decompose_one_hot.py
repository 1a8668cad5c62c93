"""OneHot as a comparison."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_one_hot import DecomposeOneHot

VALUES = {"values": np.array([-1.0, 2.0], np.float32)}


@given(st.integers(1, 5), st.integers(1, 3), st.data())
def test_indices_beyond_the_depth_are_off(depth: int, rank: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-rank - 1, rank))
    seed = data.draw(st.integers(0, 999))
    x = np.random.default_rng(seed).integers(-7, 7, (2, 3, 4)[:rank]).astype(np.int32)
    nodes = [
        onnx.helper.make_node("Cast", ["x"], ["i"], to=onnx.TensorProto.INT64),
        onnx.helper.make_node("OneHot", ["i", "depth", "values"], ["y"], axis=axis),
    ]
    feeds = {"x": np.asarray(x)}
    assert_same(model_of(nodes, feeds, 13, {"depth": np.array(depth), **VALUES}), DecomposeOneHot, feeds)


@given(st.integers(1, 5), st.integers(0, 2), st.integers(-3, 2), st.booleans(), st.integers(0, 999))
def test_the_largest(size: int, more: int, axis: int, keep: bool, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-1, 1, (2, 3, size)).astype(np.float32)
    nodes = [
        onnx.helper.make_node("ArgMax", ["x"], ["i"], axis=2, keepdims=int(keep)),
        onnx.helper.make_node("OneHot", ["i", "depth", "values"], ["y"], axis=axis),
    ]
    assert_same(model_of(nodes, {"x": x}, 13, {"depth": np.array(size + more), **VALUES}), DecomposeOneHot, {"x": x})


@given(st.sampled_from((np.int32, np.float32)), st.integers(1, 5), st.integers(0, 999))
def test_indices_of_other_types(kind: type, depth: int, seed: int) -> None:
    feeds: dict[str, np.ndarray] = {"x": np.random.default_rng(seed).integers(-7, 7, (2, 3)).astype(kind)}
    node = onnx.helper.make_node("OneHot", ["x", "depth", "values"], ["y"])
    weights = {"depth": np.array(depth, np.float32), **VALUES}
    assert_same(model_of([node], feeds, 13, weights), DecomposeOneHot, feeds)
