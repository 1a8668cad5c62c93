"""Comparing alpha in a report: mean absolute error, single pixels, the gradient, and whether there is any signal."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER, NATIVE, REDUCED_PRECISION, Tolerance
from webbuild.compare.vacuity import mark_vacuous
from webbuild.tasks.decoding.matte_alpha import Matte
from webbuild.tasks.metrics.compare_matte import compare_alpha, compare_mattes

ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
ROUND = (np.hypot(*np.mgrid[-20:20, -30:30]) < 14).astype(np.float64)
"""A disc."""
FAR = np.pad(ROUND, 200)
"""The disc in an image of which its outline is 1 part in 500."""
SOFT = 1 / (1 + np.exp(np.hypot(*np.mgrid[-40:40, -60:60]) / 2 - 14))
"""A disc whose outline is about 10 pixels wide."""


def judged(found: list[Comparison]) -> dict[str, str]:
    return {each.subject.name: each.verdict for each in found}


def test_equal_alpha_is_ok_and_says_how_far_it_may_be_apart() -> None:
    found = compare_alpha(ABOUT, ROUND, ROUND.copy(), BROWSER)
    assert judged(found) == {"alpha": "OK", "gradient": "OK"}
    assert [(each.max_abs, each.tolerance) for each in found] == [(0, BROWSER.alpha), (0, BROWSER.gradient)]
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
    assert judged(compare_alpha(ABOUT, ROUND, (np.roll(ROUND, 1, 1) + ROUND) / 2, BROWSER))["gradient"] == "DIFFERS"


@pytest.mark.parametrize("tolerance", [NATIVE, BROWSER, REDUCED_PRECISION], ids=["native", "browser", "reduced"])
@pytest.mark.parametrize("shown", [ROUND, FAR, SOFT], ids=["disc", "far", "soft"])
def test_a_shift_by_a_pixel_and_an_outline_that_is_gone_are_off_in_the_gradient(
    shown: NDArray[np.float64], tolerance: Tolerance
) -> None:
    for got in (np.roll(shown, 1, 1), shown * 0):
        (_, gradient) = compare_alpha(ABOUT, shown, got, tolerance)
        assert (gradient.verdict, gradient.reason) == ("DIFFERS", "too-far")
        assert gradient.max_abs is not None
        assert gradient.max_abs > tolerance.gradient


def test_the_size_of_the_picture_is_no_part_of_the_gradients_error() -> None:
    near, far = (compare_alpha(ABOUT, each, np.roll(each, 1, 1), BROWSER)[1] for each in (ROUND, FAR))
    assert near.max_abs == pytest.approx(far.max_abs)


def test_a_faint_outline_that_is_gone_or_new_is_off_in_the_gradient_where_alpha_is_not() -> None:
    layer = FAR * 9 * BROWSER.alpha
    for want, got in ((layer, layer * 0), (layer * 0, layer)):
        assert judged(compare_alpha(ABOUT, want, got, BROWSER)) == {"alpha": "OK", "gradient": "DIFFERS"}


@pytest.mark.parametrize("tolerance", [BROWSER, REDUCED_PRECISION], ids=["browser", "reduced"])
def test_rounding_is_no_difference(tolerance: Tolerance) -> None:
    logits = 14 - np.hypot(*np.mgrid[-40:40, -60:60]) / 2
    from_half = 1 / (1 + np.exp(-logits.astype(np.float16).astype(np.float64)))
    noise = np.random.default_rng(7).normal(0, tolerance.alpha / 2, SOFT.shape)
    for rounded in (from_half, SOFT.astype(np.float16), SOFT + noise):
        found = compare_alpha(ABOUT, SOFT, rounded, tolerance)
        assert judged(found) == {"alpha": "OK", "gradient": "OK"}
        assert all(each.signal for each in found)
    want, got = (Matte(np.floor(255 * each + 0.5).astype(np.uint8)) for each in (SOFT, from_half))
    assert judged(compare_mattes(ABOUT, want, got, tolerance)) == {"alpha": "OK", "gradient": "OK"}


NOISE = np.random.default_rng(5).uniform(0, 0.0012, (40, 60))
FEW = np.random.default_rng(9).permutation(np.arange(2400) < 240).reshape(40, 60) * 0.0099
"""One pixel in ten is not 0: an empty alpha is within the tolerance, a flat alpha of the mean is not."""


@pytest.mark.parametrize("shown", [NOISE, 1 - NOISE, 0.5 + NOISE, FEW], ids=["empty", "opaque", "half", "few"])
def test_alpha_that_flat_alpha_would_pass_for_proves_nothing(shown: NDArray[np.float64]) -> None:
    flat = np.full_like(shown, np.median(shown))
    found = compare_alpha(ABOUT, shown, flat, BROWSER)
    assert [(each.verdict, each.signal, each.reason) for each in found] == [("OK", 0, "constant")] * 2
    assert {each.verdict for each in mark_vacuous(found)} == {"VACUOUS"}
    seen = compare_alpha(ABOUT, ROUND, ROUND, BROWSER)
    assert {each.verdict for each in mark_vacuous([*found, *seen])} == {"OK"}


@pytest.mark.parametrize("tolerance", [NATIVE, BROWSER, REDUCED_PRECISION], ids=["native", "browser", "reduced"])
def test_a_speck_in_front_says_something(tolerance: Tolerance) -> None:
    speck = np.zeros((400, 600))
    speck[200:202, 300:302] = 0.5
    assert all(each.signal for each in compare_alpha(ABOUT, speck, speck, tolerance))


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
