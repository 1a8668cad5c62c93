"""Quantizing tensors: the largest error of a float, and which tensors cannot be quantized."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from webbuild.quantization.quantize import BitWidth, best_layout, can_quantize, candidate_layouts, quantize
from webbuild.quantization.weight_format import ScaleLayout

FLOATS = st.floats(-(2.0**100), 2.0**100, width=32).filter(lambda x: x == 0 or abs(x) > 2.0**-100)
TENSORS = hnp.arrays(np.float32, hnp.array_shapes(min_dims=1, max_dims=4, max_side=6), elements=FLOATS)


def step(array: NDArray[np.float32], bits: BitWidth, grid: ScaleLayout) -> NDArray[np.float64]:
    """Return the quantization step of each number, in the tensor's order."""
    seen = np.abs(array.astype(np.float64)).reshape(grid.shape)
    most = seen.max(axis=(1, 3), keepdims=True) / (2 ** (bits - 1) - 1)
    return np.broadcast_to(most, grid.shape).ravel()


@given(TENSORS, st.sampled_from([8, 10, 12, 16]))
def test_no_float_moves_by_more_than_half_a_step_of_its_channel(array: NDArray[np.float32], bits: BitWidth) -> None:
    for grid in candidate_layouts(array.shape):
        restored = quantize(array, bits, grid).dequantize()
        moved = np.abs(restored.astype(np.float64) - array.ravel())
        rounding = np.abs(array.ravel().astype(np.float64)) * 2**-22  # of the scale and of the product
        assert (moved <= 0.5 * step(array, bits, grid) + rounding).all()


@given(TENSORS)
def test_grids_have_every_number_once(array: NDArray[np.float32]) -> None:
    assert all(grid.value_count == array.size for grid in candidate_layouts(array.shape))


def test_a_channel_of_zeros_stays_zero() -> None:
    array = np.array([[0, 0, 0], [1, -2, 3]], np.float32)
    made = quantize(array, 8, ScaleLayout(1, 1, 2, 3))
    assert made.scales[0] == 0
    assert (made.dequantize()[:3] == 0).all()
    assert made.dequantize()[3:] == pytest.approx([1, -2, 3], abs=3 / 254)


def test_an_outlier_costs_its_own_channel_only() -> None:
    array = np.random.default_rng(0).normal(size=(32, 64)).astype(np.float32)
    array[5, 3] = 1e6
    grid = best_layout(array)
    moved = np.abs(quantize(array, 8, grid).dequantize().reshape(32, 64) - array)
    assert moved[5].max() > 0.5
    assert np.delete(moved, 5, axis=0).max() < 0.02


@pytest.mark.parametrize("axis", [0, 1])
def test_the_axis_whose_channels_differ_is_found(axis: int) -> None:
    array = np.random.default_rng(0).normal(size=(48, 64)).astype(np.float32)
    array *= np.logspace(-3, 3, array.shape[axis], dtype=np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
    assert best_layout(array) == (ScaleLayout(1, 1, 48, 64) if axis == 0 else ScaleLayout(1, 48, 64, 1))


@pytest.mark.parametrize(
    ("numbers", "able"),
    [
        ([1, 2, 3], True), ([0, 0, 0], True), ([1, 2, np.nan], False), ([1, np.inf, 3], False),
        ([1e-38, 1e-39, 0], False), ([3e38, -3e38, 1], True),
    ],
)  # fmt: skip
def test_what_has_no_scale_stays_a_float(numbers: list[float], able: bool) -> None:
    assert can_quantize(np.array(numbers, np.float32)) == able
