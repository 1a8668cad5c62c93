"""Scatters along every axis: removed only where they overwrite everything in order."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.base import PassOptions
from webbuild.passes.simplify.redundant_scatter import RedundantScatter

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def scattered(shape: list[int], indices: np.ndarray) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    feeds: dict[str, np.ndarray] = {"x": np.random.default_rng(0).standard_normal(shape).astype(np.float32)}
    nodes = [
        onnx.helper.make_node("Neg", ["x"], ["updates"]),
        onnx.helper.make_node("ScatterND", ["data", "indices", "updates"], ["y"]),
    ]
    weights = {"data": np.full(shape, -np.inf, np.float32), "indices": indices}
    return model_of(nodes, feeds, 18, weights), feeds


@given(SHAPES, st.data())
def test_an_index_of_some_axes_for_each_place_in_order(shape: list[int], data: st.DataObject) -> None:
    axes = data.draw(st.integers(1, len(shape)))
    model, feeds = scattered(shape, np.moveaxis(np.indices(shape[:axes]), 0, -1).astype(np.int64))
    assert_same(model, RedundantScatter, feeds)


@given(SHAPES, st.data())
def test_another_order_stays(shape: list[int], data: st.DataObject) -> None:
    axes = data.draw(st.integers(1, len(shape)))
    indices = np.moveaxis(np.indices(shape[:axes]), 0, -1).astype(np.int64)
    order = data.draw(st.permutations(range(indices.reshape(-1, axes).shape[0])))
    mixed = indices.reshape(-1, axes)[list(order)].reshape(indices.shape)
    model, _ = scattered(shape, mixed)
    rewrites = RedundantScatter().apply(ir.from_proto(model), PassOptions())
    assert any(rewrite.applied for rewrite in rewrites) == bool((mixed == indices).all())
