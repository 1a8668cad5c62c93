"""Resizes written as matrix products."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.resize_to_matmul import ResizeToMatmul

COORDINATES = st.sampled_from(("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"))
SIZE = st.integers(2, 9)


@given(
    mode=st.sampled_from(("linear", "cubic")),
    coordinates=st.sampled_from(("half_pixel", "pytorch_half_pixel", "align_corners")),
    source=st.tuples(SIZE, SIZE),
    target=st.tuples(SIZE, SIZE),
    exclude=st.booleans(),
    seed=st.integers(0, 999),
)
def test_a_filter_against_aliasing(
    mode: str, coordinates: str, source: tuple[int, int], target: tuple[int, int], exclude: bool, seed: int
) -> None:
    assume(source != target)
    x = np.random.default_rng(seed).uniform(-1, 1, (1, 2, *source)).astype(np.float32)
    node = onnx.helper.make_node(
        "Resize",
        ["x", "", "", "sizes"],
        ["y"],
        mode=mode,
        antialias=1,
        coordinate_transformation_mode=coordinates,
        exclude_outside=int(exclude),
    )
    weights = {"sizes": np.array([1, 2, *target])}
    assert_same(model_of([node], {"x": x}, 18, weights), ResizeToMatmul, {"x": x}, 1e-5)


@given(
    coordinates=COORDINATES,
    source=st.tuples(SIZE, SIZE),
    scale=st.tuples(st.sampled_from((0.5, 1.5, 2.0, 2.5)), st.sampled_from((0.5, 1.0, 2.0, 2.5))),
    opset=st.sampled_from((13, 18, 19)),
    seed=st.integers(0, 999),
)
def test_channels_that_come_last(
    coordinates: str, source: tuple[int, int], scale: tuple[float, float], opset: int, seed: int
) -> None:
    assume(all(int(size * by) > 0 for size, by in zip(source, scale, strict=True)))
    assume(int(source[0] * scale[0]) != source[0])
    x = np.random.default_rng(seed).uniform(-1, 1, (1, *source, 3)).astype(np.float32)
    node = onnx.helper.make_node(
        "Resize", ["x", "", "scales"], ["y"], mode="linear", coordinate_transformation_mode=coordinates
    )
    weights = {"scales": np.array([1, *scale, 1], np.float32)}
    assert_same(model_of([node], {"x": x}, opset, weights), ResizeToMatmul, {"x": x}, 1e-5)
