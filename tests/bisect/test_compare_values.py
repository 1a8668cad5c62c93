"""Comparing values inside a graph: NaN in the reference, and mask values such as -1e9 next to small numbers."""

from __future__ import annotations

import numpy as np
import pytest

from webbuild.bisect.compare_values import compare_value

F = np.float32


@pytest.mark.parametrize(
    ("want", "got", "verdict"),
    [
        ([1, 2, 3], [1, 2, 3.0002], "OK"),
        ([1, 2, 3], [1, 2, 3.001], "DIFFERS"),
        ([1, np.nan], [1, np.nan], "OK"),
        ([1, np.nan], [1, 2], "DIFFERS"),
        ([1, 2], [1, np.nan], "DIFFERS"),
        ([1, -1e9], [1, -1e9], "OK"),
        ([1, -1e9], [1.1, -1e9], "DIFFERS"),
        ([1, -1e9], [1, -1e8], "DIFFERS"),
        ([1, -np.inf], [1, -np.inf], "OK"),
        ([1, -np.inf], [2, -np.inf], "DIFFERS"),
        ([np.inf, 1], [1, 1], "DIFFERS"),
        ([-1e9, -1e9], [-1e9, -1e9], "OK"),
        ([0, 0], [0, 0], "VACUOUS"),
        ([0, 0], [0, 1e-30], "DIFFERS"),
        ([np.nan, np.nan], [np.nan, np.nan], "VACUOUS"),
    ],
)
def test_floats(want: list[float], got: list[float], verdict: str) -> None:
    assert compare_value("r", "s", "v", np.array(want, F), np.array(got, F)).verdict == verdict


def test_integers_are_exact_and_types_count() -> None:
    want = np.array([1, 2])
    assert compare_value("r", "s", "v", want, np.array([1, 3]), 10).verdict == "DIFFERS"
    assert compare_value("r", "s", "v", want, want.astype(np.int32)).verdict == "DIFFERS"
    assert compare_value("r", "s", "v", want, want[:1]).verdict == "DIFFERS"


def test_the_tolerance_is_relative() -> None:
    want, got = np.array([100, 1], F), np.array([100, 1.5], F)
    assert compare_value("r", "s", "v", want, got, 1e-2).verdict == "OK"
    assert compare_value("r", "s", "v", want, got, 1e-3).verdict == "DIFFERS"


def test_quantized_floats_may_be_rounded_to_the_next_integer_now_and_then() -> None:
    want = np.arange(1000, dtype=np.int32).astype(np.uint8)
    one = want.copy()
    one[7] += 1
    assert compare_value("r", "s", "v", want, one).verdict == "DIFFERS"
    assert compare_value("r", "s", "v", want, one, quantized=True).verdict == "OK"
    two = want.copy()
    two[7] += 2
    assert compare_value("r", "s", "v", want, two, quantized=True).verdict == "DIFFERS"
    many = want.copy()
    many[::20] ^= 1
    assert compare_value("r", "s", "v", want, many, quantized=True).verdict == "DIFFERS"
