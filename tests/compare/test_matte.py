"""Judging alpha in a report: mean absolute error, a single pixel, the gradient, and whether there is anything."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER, NATIVE
from webbuild.compare.vacuity import mark_vacuous
from webbuild.tasks.matte_alpha import Matte
from webbuild.tasks.metrics.compare_matte import compare_alpha, compare_mattes

ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
ROUND = (np.hypot(*np.mgrid[-20:20, -30:30]) < 14).astype(np.float64)
"""A disc."""


def judged(found: list[Comparison]) -> dict[str, str]:
    return {each.subject.name: each.verdict for each in found}


def test_equal_alpha_is_ok_and_says_how_far_it_may_be_apart() -> None:
    found = compare_alpha(ABOUT, ROUND, ROUND.copy(), BROWSER)
    assert judged(found) == {"alpha": "OK", "gradient": "OK"}
    assert [(each.max_abs, each.tolerance) for each in found] == [(0, BROWSER.alpha)] * 2
    assert all(each.signal > 0 for each in found)


@pytest.mark.parametrize(
    "got",
    [1 - ROUND, ROUND * 0, np.roll(ROUND, 2, 1), np.clip(ROUND + 0.01, 0, 1), ROUND * np.nan, ROUND[:, :5]],
    ids=["inverted", "empty", "shifted", "raised", "no number", "smaller"],
)
def test_other_alpha_differs(got: NDArray[np.float64]) -> None:
    found = compare_alpha(ABOUT, ROUND, got, BROWSER)
    assert found[0].verdict == "DIFFERS"
    assert found[0].reason


def test_the_error_is_a_mean_and_one_pixel_may_be_off_by_ten_times_that() -> None:
    off = ROUND.copy()
    off[3, 4] += 9 * BROWSER.alpha
    (error, _) = compare_alpha(ABOUT, ROUND, off, BROWSER)
    assert error.verdict == "OK"
    assert error.max_rel == pytest.approx(9 * BROWSER.alpha)
    assert error.max_abs == pytest.approx(9 * BROWSER.alpha / ROUND.size)
    off[3, 4] = 11 * BROWSER.alpha
    (error, _) = compare_alpha(ABOUT, ROUND, off, BROWSER)
    assert (error.verdict, error.reason, error.worst) == ("DIFFERS", "worst-too-far", (3, 4))


def test_an_outline_that_is_blurred_is_off_in_its_gradient() -> None:
    soft = (np.roll(ROUND, 1, 1) + ROUND) / 2
    found = {each.subject.name: each for each in compare_alpha(ABOUT, ROUND, soft, BROWSER)}
    assert found["gradient"].verdict == "DIFFERS"
    assert found["gradient"].max_abs is not None
    assert found["gradient"].max_abs > BROWSER.alpha


@pytest.mark.parametrize(("level", "reason"), [(0.0, "zero"), (1.0, "constant"), (0.3, "constant")])
def test_alpha_that_is_the_same_everywhere_proves_nothing(level: float, reason: str) -> None:
    flat = np.full((40, 60), level)
    found = compare_alpha(ABOUT, flat, flat, NATIVE)
    assert (found[0].verdict, found[0].signal, found[0].reason) == ("OK", 0, reason)
    assert {each.verdict for each in mark_vacuous([*found, *found])} == {"VACUOUS"}
    assert {each.verdict for each in mark_vacuous([*found, *compare_alpha(ABOUT, ROUND, ROUND, NATIVE)])} == {"OK"}


def test_what_a_visitor_gets_may_be_a_level_apart_here_and_there() -> None:
    level = (ROUND * 200).astype(np.uint8)
    rounded = level.copy()
    rounded[::7, ::11] += 1
    assert judged(compare_mattes(ABOUT, Matte(level), Matte(rounded), BROWSER))["alpha"] == "OK"
    assert judged(compare_mattes(ABOUT, Matte(level), Matte(level + np.uint8(1)), BROWSER))["alpha"] == "DIFFERS"
    assert judged(compare_mattes(ABOUT, Matte(level), None, BROWSER)) == {"alpha": "DIFFERS"}
