"""Comparing depth maps in a report."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.tasks.decoding.depth_map import DepthMap
from webbuild.tasks.metrics.compare_depth import compare_decoded_depth, compare_depth

ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
RAMP = np.linspace(0.5, 3, 12, dtype=np.float32).reshape(3, 4)


def decoded(depth: NDArray[np.float32], confidence: NDArray[np.float32] | None = None) -> DepthMap:
    return DepthMap(depth, confidence, math.nan, math.nan)


def test_equal_maps_are_ok_and_say_how_far_they_may_be_apart() -> None:
    found = compare_depth(ABOUT, RAMP, RAMP, BROWSER)
    assert (found.verdict, found.max_abs, found.tolerance, found.subject.name) == (
        "OK",
        0,
        BROWSER.score,
        "depth",
    )
    assert found.signal > 0


@pytest.mark.parametrize("factor", [1 + 2 * BROWSER.score, -1, 0, math.nan])
def test_another_map_differs(factor: float) -> None:
    found = compare_depth(ABOUT, RAMP, RAMP * np.float32(factor), BROWSER)
    assert found.verdict == "DIFFERS"
    assert found.reason


def test_flat_maps_on_every_sample_prove_nothing() -> None:
    flat = np.full((3, 4), 2, np.float32)
    found = compare_depth(ABOUT, flat, flat, BROWSER)
    assert (found.verdict, found.signal) == ("OK", 0)
    assert found.reason == "constant"
    assert [each.verdict for each in mark_vacuous([found, found])] == ["VACUOUS"] * 2
    assert [each.verdict for each in mark_vacuous([found, compare_depth(ABOUT, RAMP, RAMP, BROWSER)])] == ["OK"] * 2


def test_depth_and_confidence_are_judged_apart() -> None:
    sure = RAMP / np.float32(3)
    same = compare_decoded_depth(ABOUT, decoded(RAMP, sure), decoded(RAMP, sure), BROWSER)
    assert [(each.subject.name, each.verdict) for each in same] == [("depth", "OK"), ("confidence", "OK")]
    other = compare_decoded_depth(ABOUT, decoded(RAMP, sure), decoded(RAMP, sure * np.float32(0.9)), BROWSER)
    assert [each.verdict for each in other] == ["OK", "DIFFERS"]
    missing = compare_decoded_depth(ABOUT, decoded(RAMP, sure), decoded(RAMP), BROWSER)
    assert [each.verdict for each in missing] == ["OK", "DIFFERS"]
    assert [each.verdict for each in compare_decoded_depth(ABOUT, decoded(RAMP, sure), None, BROWSER)] == [
        "DIFFERS"
    ] * 2


def test_an_even_confidence_is_one() -> None:
    even = np.ones((3, 4), np.float32)
    assert compare_decoded_depth(ABOUT, decoded(RAMP, even), decoded(RAMP, even), BROWSER)[1].signal == 1


def test_what_is_outside_of_the_input_on_both_sides_is_left_out() -> None:
    cut = np.where(np.arange(4) == 0, np.nan, RAMP).astype(np.float32)
    (found,) = compare_decoded_depth(ABOUT, decoded(cut), decoded(cut.copy()), BROWSER)
    assert found.verdict == "OK"
    (found,) = compare_decoded_depth(ABOUT, decoded(cut), decoded(RAMP), BROWSER)
    assert found.verdict == "DIFFERS"
    (found,) = compare_decoded_depth(ABOUT, decoded(RAMP), decoded(cut), BROWSER)
    assert found.verdict == "DIFFERS"
