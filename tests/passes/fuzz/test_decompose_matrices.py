"""Determinants, unit matrices and grids."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_matrices import DecomposeMatrices


@given(st.integers(1, 4), st.sampled_from(((), (3,), (2, 5))), st.sampled_from((11, 17, 22)), st.integers(0, 999))
def test_determinants(size: int, batch: tuple[int, ...], opset: int, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-1, 1, (*batch, size, size)) + 2 * np.eye(size)
    feeds = {"x": x.astype(np.float32)}
    assert_same(model_of([onnx.helper.make_node("Det", ["x"], ["y"])], feeds, opset), DecomposeMatrices, feeds, 1e-5)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(-7, 7), st.sampled_from((None, 1, 6)))
def test_unit_matrices(rows: int, columns: int, k: int, dtype: int | None) -> None:
    feeds = {"x": np.zeros((rows, columns), np.float32)}
    attributes: dict[str, Any] = {"k": k} | ({} if dtype is None else {"dtype": dtype})
    node = onnx.helper.make_node("EyeLike", ["x"], ["y"], **attributes)
    assert_same(model_of([node], feeds, 17), DecomposeMatrices, feeds)


@given(st.lists(st.integers(1, 6), min_size=2, max_size=3), st.integers(1, 3), st.integers(0, 1), st.integers(0, 999))
def test_grids(room: list[int], batch: int, corners: int, seed: int) -> None:
    theta = np.random.default_rng(seed).uniform(-1, 1, (batch, len(room), len(room) + 1)).astype(np.float32)
    weights = {"size": np.array([batch, 2, *room], np.int64)}
    node = onnx.helper.make_node("AffineGrid", ["t", "size"], ["y"], align_corners=corners)
    assert_same(model_of([node], {"t": theta}, 20, weights), DecomposeMatrices, {"t": theta}, 1e-5)
