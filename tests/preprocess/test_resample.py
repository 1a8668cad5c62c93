"""Resampling compared with the libraries named in its modes; `conformance/preprocess` has the exact cases."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from webbuild.manifest.manifest import Interpolation, Letterbox
from webbuild.preprocess.letterbox import place_image
from webbuild.preprocess.resample import filter_taps, resample

EACH = pytest.mark.parametrize("interpolation", get_args(Interpolation))
SIZES = pytest.mark.parametrize(
    ("source", "size"),
    [((37, 23), (11, 9)), ((11, 9), (37, 23)), ((64, 64), (32, 32)), ((5, 90), (33, 17)), ((100, 3), (1, 1))],
)


def resized(pixels: NDArray[Any], width: int, height: int, interpolation: Interpolation) -> NDArray[np.float64]:
    columns = filter_taps(interpolation, pixels.shape[1], width, range(width))
    rows = filter_taps(interpolation, pixels.shape[0], height, range(height))
    return resample(pixels, columns, rows, interpolation)


def noise(width: int, height: int) -> NDArray[np.uint8]:
    return np.random.default_rng(width * 1000 + height).integers(0, 256, (height, width, 3)).astype(np.uint8)


@SIZES
def test_antialias_is_pillows_bilinear_but_for_its_rounding(source: tuple[int, int], size: tuple[int, int]) -> None:
    pixels = noise(*source)
    want = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR), np.float64)
    distance = np.abs(resized(pixels, *size, "bilinear-antialias") - want)
    assert distance.max() <= 1.01  # half a level from each of its two roundings
    assert distance.mean() <= 0.4


@SIZES
def test_nearest_is_pillows(source: tuple[int, int], size: tuple[int, int]) -> None:
    pixels = noise(*source)
    want = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST))
    np.testing.assert_array_equal(resized(pixels, *size, "nearest"), want)


def test_a_shrunken_picture_has_its_average_only_with_antialias() -> None:
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, ::4] = 255
    assert abs(resized(stripes, 8, 8, "bilinear-antialias")[2:-2, 2:-2].mean() - 255 / 4) < 1
    assert abs(resized(stripes, 8, 8, "bilinear").mean() - 255 / 4) > 20


def test_bicubic_stays_within_eight_bits() -> None:
    edge = np.zeros((4, 8, 3), np.uint8)
    edge[:, 4:] = 255
    result = resized(edge, 29, 4, "bicubic")
    assert (result.min(), result.max()) == (0, 255)


@EACH
def test_one_colour_stays_that_colour(interpolation: Interpolation) -> None:
    for size in ((13, 2), (3, 3), (1, 40)):
        same = resized(np.full((5, 7, 3), 201), *size, interpolation)
        np.testing.assert_allclose(same, 201, rtol=0, atol=1e-12)


@EACH
def test_a_part_of_the_result_is_the_part_of_the_whole(interpolation: Interpolation) -> None:
    pixels = noise(19, 31)
    columns, rows = filter_taps(interpolation, 19, 40, range(7, 20)), filter_taps(interpolation, 31, 12, range(3, 9))
    part = resample(pixels, columns, rows, interpolation)
    np.testing.assert_array_equal(part, resized(pixels, 40, 12, interpolation)[3:9, 7:20])


def test_a_crop_of_a_picture_a_thousand_times_as_long_as_wide_covers_the_input() -> None:
    placement = place_image(1, 1000, 224, 224, Letterbox(mode="crop"))
    assert (placement.left, placement.top) == (0, -(224000 - 224) // 2)
    assert (placement.width, placement.height) == (224, 224000)
