"""The similarity order: what may change, what may not, and what proves nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import NATIVE
from webbuild.tasks.metrics.compare_neighbors import compare_neighbors

ABOUT = ComparedOutput("wasm", "one", "raw", "e")


def at(degrees: float) -> NDArray[np.float64]:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def rank(got: NDArray[np.float64], *others: NDArray[np.float64]) -> Comparison:
    (found,) = compare_neighbors(ABOUT, at(0), got, others, NATIVE)
    return found


def test_the_same_order_is_the_same() -> None:
    found = rank(at(1), at(20), at(-60), at(90))
    assert (found.verdict, found.signal) == ("OK", 3)


def test_another_order_is_not() -> None:
    found = rank(at(30), at(-20), at(60))
    assert (found.verdict, found.reason) == ("DIFFERS", "not-equal")


def test_ties_may_change_places() -> None:
    assert rank(at(0.001), at(20), at(-20.001)).verdict == "OK"
    assert rank(at(-0.001), at(20), at(-20.001)).verdict == "OK"


def test_what_is_not_a_number_has_no_order() -> None:
    assert rank(np.array([np.nan, 0]), at(20), at(60)).verdict == "DIFFERS"


def test_equal_vectors_are_no_signal_and_one_alone_has_no_rank() -> None:
    assert rank(at(0), at(0), at(0.1)).signal == 0
    assert compare_neighbors(ABOUT, at(0), at(0), (), NATIVE) == []
