"""Delta debugging: the smallest set to keep is found exactly, in few checks, and is never too small."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from webbuild.precision.delta_debug import minimize

NAMES = [f"n{index}" for index in range(64)]


class Asked:
    """Checks whether all guilty names are kept; None after `times` checks."""

    def __init__(self, guilty: set[str], times: int = 1000) -> None:
        self.guilty, self.left, self.times = guilty, times, times

    def __call__(self, kept: Sequence[str]) -> bool | None:
        if not self.left:
            return None
        self.left -= 1
        return self.guilty <= set(kept)

    @property
    def questions(self) -> int:
        return self.times - self.left


@given(st.sets(st.sampled_from(NAMES), min_size=1, max_size=6))
def test_exactly_the_guilty_are_kept(guilty: set[str]) -> None:
    assert set(minimize(NAMES, Asked(guilty))) == guilty


@given(st.sets(st.sampled_from(NAMES), min_size=1, max_size=6), st.integers(0, 20))
def test_an_early_end_keeps_too_many_and_never_too_few(guilty: set[str], times: int) -> None:
    assert guilty <= set(minimize(NAMES, Asked(guilty, times)))


def test_one_among_many_takes_a_question_for_each_halving_and_few_more() -> None:
    for name in NAMES:
        asked = Asked({name})
        assert minimize(NAMES, asked) == [name]
        assert asked.questions <= 2 * 6


def test_of_two_that_are_enough_the_first_is_kept() -> None:
    assert minimize(NAMES, lambda kept: bool({"n3", "n40"} & set(kept))) == ["n3"]


def test_of_no_names_none_is_kept_and_nothing_is_asked() -> None:
    asked = Asked(set())
    assert minimize([], asked) == []
    assert asked.questions == 0
