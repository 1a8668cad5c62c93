"""Comparing arrays: what is equal, what never is, and what proves nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.reporting.comparison_text import describe_difference

INF, NAN = np.inf, np.nan
SUBJECT = ComparedOutput("webgpu", "street", "raw", "output0")


def f32(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def compared(want: NDArray[Any], got: NDArray[Any] | None, **options: Any) -> Comparison:
    return compare_arrays(SUBJECT, want, got, **options)


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (f32(1, 2, 3), f32(1, 2, 3)),
        (f32(1000, 0), f32(1000.09, 0.09)),
        (f32(-INF, INF, 2), f32(-INF, INF, 2)),
        (f32(1, NAN), f32(1, NAN)),
        (np.array([1, 2**62], np.int64), np.array([1, 2**62], np.int64)),
        (np.array([True, False]), np.array([True, False])),
        (np.float32(3).reshape(()), np.float32(3).reshape(())),
    ],
    ids=["equal", "within 1e-4 of the largest", "equal infinities", "equal NaN", "int64", "bool", "scalar"],
)
def test_ok(want: NDArray[Any], got: NDArray[Any]) -> None:
    assert compared(want, got).verdict == "OK"


@pytest.mark.parametrize(
    ("want", "got", "reason"),
    [
        (f32(1000, 0), f32(1000, 0.2), "differs by 0.2, more than 0.1 at [1]: wanted 0, got 0.2"),
        (f32(1, 2), f32(1, NAN), "NaN on one side only at [1]: wanted 2, got nan"),
        (f32(1, NAN), f32(1, 2), "NaN on one side only at [1]: wanted nan, got 2"),
        (f32(1, INF), f32(1, 2), "infinite on one side only at [1]: wanted inf, got 2"),
        (f32(1, 2), f32(1, INF), "infinite on one side only at [1]: wanted 2, got inf"),
        (f32(1, INF), f32(1, -INF), "infinite on one side only at [1]: wanted inf, got -inf"),
        (f32(1, 2), None, "the output is missing"),
        (f32(1, 2), f32(1, 2, 3), "different shape: wanted [2], got [3]"),
        (f32(1, 2), f32(1, 2).reshape(1, 2), "different shape: wanted [2], got [1, 2]"),
        (f32(1, 2), np.array([1, 2], np.int64), "different type: wanted float32, got int64"),
        (f32(0, 0), f32(0, 1e-3), "differs by 0.001, more than 0 at [1]: wanted 0, got 0.001"),
        (np.array([10**6], np.int32), np.array([10**6 + 1], np.int32), "differs by 1, more than 0 at [0]"),
        (np.array([2**62], np.int64), np.array([2**62 + 1], np.int64), "differs by 1, more than 0 at [0]"),
        (np.array([True]), np.array([False]), "differs by 1, more than 0 at [0]: wanted True, got False"),
    ],
)
def test_what_differs_is_told(want: NDArray[Any], got: NDArray[Any] | None, reason: str) -> None:
    result = compared(want, got)
    assert result.verdict == "DIFFERS"
    assert describe_difference([result]).startswith(reason)


@pytest.mark.parametrize(
    "zeros",
    [f32(0, 0, 0), f32(), np.zeros((1, 300, 57), np.float32), np.zeros(3, np.int64), f32(-INF, -INF), f32(NAN, NAN)],
    ids=["zeros", "empty", "no detections", "integer zeros", "all masked", "all NaN"],
)
def test_nothing_compared_with_nothing_is_vacuous(zeros: NDArray[Any]) -> None:
    assert compared(zeros, zeros.copy()).verdict == "VACUOUS"


def test_the_worst_place_is_named() -> None:
    want = np.ones((2, 3), np.float32)
    got = want.copy()
    got[1, 2] = 3
    result = compared(want, got)
    assert (result.worst, result.want, result.got) == ((1, 2), "1", "3")
    assert (result.max_abs, result.max_rel, result.signal) == (2.0, 2.0, 1.0)


def test_a_tolerance_may_be_given() -> None:
    assert compared(f32(1, 2), f32(1, 2.4), tolerance=0.5).verdict == "OK"
    assert compared(f32(1, 2), f32(1, 2.6), tolerance=0.5).verdict == "DIFFERS"


def test_numbers_that_json_cannot_hold_are_none() -> None:
    result = compared(f32(1, INF), f32(1, 2))
    assert (result.max_abs, result.max_rel) == (None, None)


def test_nan_is_the_worst_place_there_is() -> None:
    result = compared(f32(1, 2, 3), f32(9, NAN, 3))
    assert (result.worst, result.got, result.max_abs) == ((1,), "nan", None)


def test_the_largest_floats_do_not_overflow_into_agreement() -> None:
    big = float(np.finfo(np.float32).max)
    assert compared(f32(big), f32(-big)).verdict == "DIFFERS"


floats = arrays(np.float32, (4,), elements=st.floats(width=32, allow_nan=True, allow_infinity=True))


@given(floats, floats)
def test_ok_means_close_everywhere(want: NDArray[Any], got: NDArray[Any]) -> None:
    result = compared(want, got)
    if result.verdict == "OK":
        finite = np.isfinite(want)
        assert np.array_equal(want[~finite], got[~finite], equal_nan=True)
        gap = np.abs(want[finite].astype(np.float64) - got[finite].astype(np.float64))
        assert gap.max(initial=0) <= 1e-4 * np.abs(want[finite].astype(np.float64)).max(initial=0)


@given(floats)
def test_an_array_is_itself_unless_it_holds_nothing(values: NDArray[Any]) -> None:
    verdict = compared(values, values.copy()).verdict
    assert verdict == ("OK" if np.abs(values[np.isfinite(values)]).max(initial=0) > 0 else "VACUOUS")


@pytest.mark.parametrize(
    ("share", "step", "reason"),
    [(0.02, 1, None), (0.05, 1, "too-many"), (0.001, 2, "too-far")],
)
def test_bytes_that_were_fractions_may_be_rounded_otherwise_now_and_then(
    share: float, step: int, reason: str | None
) -> None:
    want = np.full(10_000, 200, np.uint8)
    want[0] = 255
    got = want.copy()
    got[1 : 1 + int(share * want.size)] += step
    found = compare_arrays(ComparedOutput("webgpu", "a", "raw", "y"), want, got, rounded=True)
    assert found.reason == reason
    assert compare_arrays(ComparedOutput("webgpu", "a", "raw", "y"), want, got).reason == "too-far"
