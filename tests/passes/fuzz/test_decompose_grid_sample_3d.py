"""3-D GridSample written as Gathers."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_grid_sample_3d import DecomposeGridSample3D


@given(
    shape=st.tuples(*[st.integers(1, 3)] * 2, *[st.integers(1, 5)] * 3),
    points=st.tuples(*[st.integers(1, 4)] * 3),
    mode=st.sampled_from(("linear", "nearest")),
    padding=st.sampled_from(("zeros", "border")),
    aligned=st.booleans(),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    shape: tuple[int, ...], points: tuple[int, ...], mode: str, padding: str, aligned: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    grid = draw.uniform(-1.5, 1.5, (shape[0], *points, 3))
    if seed % 3 == 0:
        grid = np.round(grid * 2) / 2  # edges, centres, and positions between two voxels
    feeds = {"x": draw.normal(size=shape).astype(np.float32), "grid": grid.astype(np.float32)}
    node = onnx.helper.make_node(
        "GridSample", ["x", "grid"], ["y"], mode=mode, padding_mode=padding, align_corners=int(aligned)
    )
    limit = 0.0 if mode == "nearest" else 1e-5
    assert_same(model_of([node], feeds, 20 + seed % 2 * 2), DecomposeGridSample3D, feeds, limit)
