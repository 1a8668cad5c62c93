"""When an output is right."""

from __future__ import annotations

import re

import numpy as np
import pytest

from webbuild.probe.compare_output import compare_output
from webbuild.probe.probe_model import Array

WANT = np.array([[1.0, -2.0, 1000.0]], np.float32)


@pytest.mark.parametrize(
    ("got", "fault"),
    [
        (WANT, None),
        (WANT * np.float32(1.0005), None),
        (WANT + np.float32(0.005), None),
        (WANT * np.float32(1.1), "of 3 in y: 1.1, not 1"),
        (WANT[0], r"the shape \[3\], not \[1, 3\]"),
        (WANT.astype(np.float64), "is float64, not float32"),
        (None, "y is missing"),
        (np.full_like(WANT, np.nan), "3 of 3"),
    ],
)
def test_floats(got: Array | None, fault: str | None) -> None:
    found = compare_output("y", got, WANT)
    if fault is None:
        assert found is None
    else:
        assert found is not None
        assert re.search(fault, found.message)


def test_the_largest_difference_is_told() -> None:
    found = compare_output("y", WANT + np.array([[0, 0, 70]], np.float32), WANT)
    assert found is not None
    assert found.error == pytest.approx(70)


def test_slack_widens() -> None:
    off = WANT * np.float32(1.01)
    assert compare_output("y", off, WANT) is not None
    assert compare_output("y", off, WANT, slack=20) is None


def test_what_is_not_finite_equals_itself_alone() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    assert compare_output("y", odd, odd) is None
    for index in range(4):
        other = odd.copy()
        other[index] = 7
        found = compare_output("y", other, odd)
        assert found is not None
        assert (found.error is None) == (index < 3)


def test_integers_are_exact() -> None:
    want = np.array([2**40, -1], np.int64)
    assert compare_output("y", want, want) is None
    assert compare_output("y", want + 1, want) is not None


def test_nothing_equals_nothing() -> None:
    none = np.zeros((0, 3), np.float32)
    assert compare_output("y", none, none) is None
    assert compare_output("y", none.reshape(3, 0), none) is not None
