"""Percentiles by the nearest-rank method."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webbuild.bench.percentiles import percentile


@pytest.mark.parametrize(
    ("percent", "want"), [(5, 15), (30, 20), (40, 20), (50, 35), (95, 50), (100, 50)], ids=lambda value: str(value)
)
def test_the_usual_example(percent: float, want: float) -> None:
    assert percentile([50, 15, 20, 40, 35], percent) == want


def test_of_twenty_the_95th_is_the_nineteenth() -> None:
    assert percentile(range(1, 21), 95) == 19
    assert percentile(range(1, 101), 95) == 95


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60), st.integers(1, 100))
def test_is_the_least_value_that_so_many_do_not_exceed(values: list[float], percent: int) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) * 100 >= percent * len(values)
    assert sum(value < found for value in values) * 100 < percent * len(values)


@pytest.mark.parametrize(("values", "percent"), [([], 50), ([1.0], 0), ([1.0], 101), ([1.0, math.nan], 50)])
def test_of_nothing_there_is_none(values: list[float], percent: float) -> None:
    with pytest.raises(ValueError, match="no percentile"):
        percentile(values, percent)
