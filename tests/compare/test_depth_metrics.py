"""When two depth maps are the same."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.comparison import NoSignal
from webbuild.compare.tolerances import BROWSER, REDUCED_PRECISION, Tolerance
from webbuild.tasks.metrics.match_depth import match_depth

RATIO, FLOOR = 1e-3, 0.02
TOLERANCE = Tolerance(score=0, pixels=0, depth=RATIO, depth_floor=FLOOR)
RAMP = np.linspace(0.5, 3, 12, dtype=np.float32).reshape(1, 3, 4)


def test_equal_maps_are_the_same_at_no_error() -> None:
    found = match_depth(RAMP, RAMP.copy(), TOLERANCE)
    assert (found.matches, found.error, found.worst, found.no_signal) == (True, 0, 0, None)
    assert found.spread == pytest.approx(2.5 / 3)


@pytest.mark.parametrize(("factor", "same"), [(1.0009, True), (1.0011, False), (0.9989, False)])
def test_the_average_error_is_relative_to_the_depth(factor: float, same: bool) -> None:
    assert match_depth(RAMP, RAMP * factor, TOLERANCE).matches is same


@pytest.mark.parametrize(("shift", "same"), [(0.009, True), (0.011, False)])
def test_one_pixel_may_be_off_by_ten_times_the_average(shift: float, same: bool) -> None:
    got = RAMP.copy()
    got[0, 1, 2] *= 1 + shift
    found = match_depth(RAMP, got, TOLERANCE)
    assert found.matches is same
    assert found.worst == pytest.approx(shift, rel=1e-3)


def test_no_scale_is_fitted() -> None:
    assert not match_depth(RAMP, RAMP * 2, TOLERANCE).matches
    assert not match_depth(RAMP, RAMP + 1, TOLERANCE).matches


def test_what_is_next_to_nothing_is_measured_by_a_part_of_the_largest() -> None:
    want = np.array([0.0, 0.0, 1.0], np.float32)
    assert match_depth(want, want + np.array([0, RATIO * FLOOR, 0], np.float32), TOLERANCE).matches
    assert not match_depth(want, want + np.array([0, 20 * RATIO * FLOOR, 0], np.float32), TOLERANCE).matches


@pytest.mark.parametrize(
    ("values", "reason"),
    [([0.0, 0.0, 0.0], "zero"), ([2.0, 2.0, 2.0], "constant"), ([2.0, 2.001, 2.0], "constant")],
)
def test_a_map_that_is_the_same_everywhere_says_nothing(values: list[float], reason: NoSignal) -> None:
    want = np.array(values, np.float32)
    found = match_depth(want, want, TOLERANCE)
    assert found.matches
    assert found.no_signal == reason


def test_zeros_against_a_map_are_not_the_same() -> None:
    assert not match_depth(RAMP, np.zeros_like(RAMP), TOLERANCE).matches
    assert not match_depth(np.zeros_like(RAMP), RAMP, TOLERANCE).matches


@pytest.mark.parametrize(
    "odd", [np.full_like(RAMP, np.nan), np.where(RAMP > 2, np.inf, RAMP), RAMP[:, :2], RAMP[:, :0]]
)
def test_what_is_no_number_or_missing_is_never_the_same(odd: NDArray[np.float32]) -> None:
    assert not match_depth(RAMP, odd, TOLERANCE).matches
    assert not match_depth(odd, RAMP, TOLERANCE).matches


def test_nan_on_both_sides_is_said() -> None:
    broken = np.where(RAMP > 2.9, np.nan, RAMP)
    found = match_depth(broken, broken, TOLERANCE)
    assert (found.mismatch, found.want, found.got) == ("not-finite", "1 NaN, 0 infinite", "1 NaN, 0 infinite")


def test_a_map_has_a_tolerance_of_its_own() -> None:
    off = RAMP * 1.005
    assert not match_depth(RAMP, off, BROWSER).matches
    assert match_depth(RAMP, off, REDUCED_PRECISION).matches
    assert not match_depth(RAMP, off, msgspec.structs.replace(REDUCED_PRECISION, depth=0.004)).matches
