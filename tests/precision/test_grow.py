"""The largest set that passes, grown group by group, in few checks."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from webbuild.precision.grow import grow

NAMES = [f"n{index}" for index in range(32)]
ALIKE = dict.fromkeys(NAMES, 1 / 32)


class Asked:
    """Accepts a set whose errors add up to at most 1; from a small set, drops the names in `alone`."""

    def __init__(self, errors: dict[str, float], times: int = 1000, alone: Collection[str] = ()) -> None:
        self.errors, self.times, self.alone = errors, times, alone
        self.asked = 0
        self.best: Collection[str] = ()

    def __call__(self, names: Collection[str]) -> Collection[str] | None:
        if self.asked == self.times:
            return None
        self.asked += 1
        names = set(names) if len(names) > 4 else set(names) - set(self.alone)
        if sum(self.errors.get(name, 0) for name in names) > 1:
            return ()
        assert not set(self.best) - names, "what was right is not given up"
        self.best = names
        return names


@given(st.sets(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_all_but_the_guilty_are_found(guilty: set[str]) -> None:
    asked = Asked(dict.fromkeys(guilty, 2.0))
    grow(NAMES, ALIKE, asked)
    assert set(asked.best) == set(NAMES) - guilty
    assert asked.asked <= 2 * 5 * len(guilty)


def test_errors_that_add_up_leave_as_much_as_fits() -> None:
    asked = Asked(dict.fromkeys(NAMES, 1 / 24))
    grow(NAMES, ALIKE, asked)
    assert len(asked.best) == 24


def test_of_two_that_do_not_go_together_the_heavier_is_found() -> None:
    asked = Asked({"n3": 0.6, "n20": 0.6})
    grow(NAMES, {**ALIKE, "n20": 0.5}, asked)
    assert set(NAMES) - set(asked.best) == {"n3"}


def test_what_is_small_is_not_divided_any_more() -> None:
    asked = Asked({"n3": 2.0})
    grow(NAMES, {**dict.fromkeys(NAMES, 1e-6), "n20": 1.0}, asked)
    assert asked.asked <= 4
    assert "n20" in asked.best


def test_what_was_left_out_alone_is_tried_again_with_its_neighbours() -> None:
    asked = Asked({"n0": 2.0}, alone=["n9"])
    grow(NAMES[:12], {**ALIKE, "n9": 0.9}, asked)
    assert set(asked.best) == set(NAMES[1:12])


def test_a_spent_budget_ends_it() -> None:
    asked = Asked({"n3": 2.0}, times=3)
    grow(NAMES, ALIKE, asked)
    assert asked.asked == 3
    assert asked.best
