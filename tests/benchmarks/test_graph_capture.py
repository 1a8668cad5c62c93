"""The measurement of graph capture: a session with it compared with one without."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.graph_capture import ORDER, CaptureRun, verdict
from benchmarks.graph_capture_models import VARIANTS, vary


def told(answers: list[float], error: str | None = None) -> CaptureRun:
    return CaptureRun(
        [{"y": np.array([value, 2 * value], np.float32)} for value in answers], [1.0] * len(answers), error
    )


RIGHT = told([float(variant + 1) for variant in ORDER])


def test_the_same_answers_are_right() -> None:
    assert verdict(RIGHT, RIGHT) == "right"


def test_an_answer_of_the_first_run_is_told_where_another_was_due() -> None:
    stale = told([1.0] * len(ORDER))
    assert verdict(stale, RIGHT) == "silently wrong in run 2, 4, 5, 6, 8, 9, by 83% of the largest number"


def test_what_is_no_number_is_wrong() -> None:
    assert verdict(told([float("nan")] * len(ORDER)), RIGHT).startswith("silently wrong in run 1, 2, 3")


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([1.0], "run 2 throws: unreachable"),
        ([1.0, 1.0], "silently wrong in run 2, by 50% of the largest number; run 3 "),
    ],
)
def test_what_throws_is_told_with_what_was_wrong_before(answers: list[float], said: str) -> None:
    assert verdict(told(answers, "unreachable"), RIGHT).startswith(said)


@pytest.mark.parametrize("right", [told([]), told([1.0] * len(ORDER)), told([1.0, 2.0], "no session")])
def test_nothing_to_compare_with_is_never_right(right: CaptureRun) -> None:
    assert verdict(right, right).startswith("nothing to compare")


def test_every_variant_of_an_input_is_another() -> None:
    picture = np.arange(1 * 3 * 16 * 16, dtype=np.float32).reshape(1, 3, 16, 16)
    for array in (picture, np.array([0.25], np.float32)):
        made = [vary(array, variant) for variant in range(VARIANTS)]
        assert np.array_equal(made[0], array)
        assert len({each.tobytes() for each in made}) == VARIANTS


def test_runs_that_gave_no_answer_are_not_right() -> None:
    assert verdict(told([]), RIGHT) == "nothing to compare: it did not answer every run"
    assert verdict(told([1.0]), RIGHT) == "nothing to compare: it did not answer every run"
