"""Comparing output images."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION, Tolerance
from webbuild.compare.vacuity import mark_vacuous
from webbuild.reporting.comparison_text import describe_distance
from webbuild.tasks.decoding.output_picture import OutputPicture
from webbuild.tasks.metrics.compare_pictures import compare_pictures

ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
LEVELS = np.random.default_rng(3).integers(20, 200, (30, 40, 4), dtype=np.uint8)
LEVELS[..., 3] = 255


def picture(rgba: NDArray[np.uint8]) -> OutputPicture:
    return OutputPicture(rgba)


def changed(level: int, *, everywhere: bool = False) -> OutputPicture:
    other = LEVELS.copy()
    other[slice(None) if everywhere else (4, 5)][..., :3] += np.uint8(level)
    return picture(other)


@pytest.mark.parametrize(("other", "verdict"), [(changed(0), "OK"), (changed(1), "OK"), (changed(2), "OK")])
def test_rounding_is_no_difference(other: OutputPicture, verdict: str) -> None:
    found = compare_pictures(ABOUT, picture(LEVELS), other, BROWSER)
    assert (found.verdict, found.subject.name) == (verdict, "picture")
    assert found.signal > 100


def test_the_distance_is_a_psnr_and_a_root_mean_square() -> None:
    found = compare_pictures(ABOUT, picture(LEVELS), changed(51, everywhere=True), BROWSER)
    assert (found.verdict, found.reason) == ("DIFFERS", "too-far")
    assert found.max_abs == pytest.approx(0.2)
    assert found.psnr == pytest.approx(13.98, abs=0.01)
    assert describe_distance([found]) == "picture 0.2 of 0.002 (PSNR 14.0 dB)"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (changed(10), "worst-too-far"),
        (picture(LEVELS[:-1]), "shape"),
        (None, "shape"),
        (picture(np.where(np.arange(40)[None, :, None] < 1, 0, LEVELS).astype(np.uint8)), "shape"),
    ],
)
def test_another_picture_differs(other: OutputPicture | None, reason: str) -> None:
    found = compare_pictures(ABOUT, picture(LEVELS), other, BROWSER)
    assert (found.verdict, found.reason) == ("DIFFERS", reason)


@pytest.mark.parametrize(("flat", "reason"), [(np.full_like(LEVELS, 255), "constant"), (LEVELS * 0, "empty")])
def test_pictures_of_one_color_on_every_sample_prove_nothing(flat: NDArray[np.uint8], reason: str) -> None:
    found = compare_pictures(ABOUT, picture(flat), picture(flat), BROWSER)
    assert (found.verdict, found.signal, found.reason) == ("OK", 0, reason)
    assert [each.verdict for each in mark_vacuous([found])] == ["VACUOUS"]
    seen = compare_pictures(ABOUT, picture(LEVELS), picture(LEVELS), BROWSER)
    assert [each.verdict for each in mark_vacuous([found, seen])] == ["OK", "OK"]


@pytest.mark.parametrize(("tolerance", "spread"), [(BROWSER, 2), (REDUCED_PRECISION, 6)], ids=["browser", "reduced"])
def test_a_picture_that_one_flat_color_would_pass_for_proves_nothing(tolerance: Tolerance, spread: int) -> None:
    def shaded(levels: int) -> OutputPicture:
        rgba = np.full((30, 40, 4), 255, np.uint8)
        rgba[..., :3] = 100 + np.arange(1200).reshape(30, 40, 1) % levels
        return picture(rgba)

    flat = np.full((30, 40, 4), 255, np.uint8)
    flat[..., :3] = 100 + spread // 2
    pale = compare_pictures(ABOUT, shaded(spread), picture(flat), tolerance)
    assert pale.signal == 0
    same = compare_pictures(ABOUT, shaded(spread), shaded(spread), tolerance)
    assert [each.verdict for each in mark_vacuous([same])] == ["VACUOUS"]
    told = compare_pictures(ABOUT, shaded(3 * spread), shaded(3 * spread), tolerance)
    assert [each.verdict for each in mark_vacuous([same, told])] == ["OK", "OK"]


def test_a_dot_on_a_wall_says_something() -> None:
    wall = np.full((300, 400, 4), 255, np.uint8)
    wall[150, 200, 0] = 200
    assert compare_pictures(ABOUT, picture(wall), picture(wall), BROWSER).signal
