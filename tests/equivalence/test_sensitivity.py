"""A difference is excused where the original itself makes it, and nowhere else."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.compare.perturbation import RELATIVE_CHANGE, perturb
from webbuild.equivalence.compare_outputs import OutputComparison
from webbuild.equivalence.sensitivity import MAX_NOISE, accept_within_noise

WANT: dict[str, NDArray[Any]] = {"logits": np.array([1.0, -2.0], np.float32)}


def proof(sample: str, verdict: str, apart: float | None, target: str = "webgpu") -> OutputComparison:
    return OutputComparison(sample, target, "logits", verdict, None, 0, False, "apart", "differs", apart=apart)


def moved_by(*leaps: float) -> Any:
    """The original's answers to one changed sample after another."""
    return lambda _sample, seed: {"logits": WANT["logits"] + np.float32(leaps[seed % len(leaps)])}


AGREED, DIFFERENT = proof("one", "OK", 1e-6), proof("two", "DIFFERS", 0.01)
BOTH = {"one": WANT, "two": WANT}


def test_a_difference_that_the_original_makes_itself_is_none() -> None:
    first, second = accept_within_noise([AGREED, DIFFERENT], BOTH, moved_by(0.0, 0.0, 0.008))
    assert first == AGREED
    assert (second.verdict, second.why) == ("OK", "")
    assert second.leap == pytest.approx(0.008, rel=1e-3)
    assert "moves the original by 0.008" in second.distance


@pytest.mark.parametrize("leaps", [(0.0,), (1e-6,), (0.004,)])
def test_a_difference_larger_than_the_leaps_stays(leaps: tuple[float, ...]) -> None:
    assert accept_within_noise([AGREED, DIFFERENT], BOTH, moved_by(*leaps))[1] == DIFFERENT


def test_a_graph_that_agrees_on_no_sample_is_not_excused() -> None:
    everywhere = [proof("one", "DIFFERS", 0.01), DIFFERENT, proof("one", "OK", 0.0, "wasm")]
    assert accept_within_noise(everywhere, BOTH, moved_by(0.01)) == everywhere


def test_a_run_that_the_fallback_repeated_vouches_for_nothing() -> None:
    handed_over = msgspec.structs.replace(AGREED, repeated=True)
    assert accept_within_noise([handed_over, DIFFERENT], BOTH, moved_by(0.01))[1] == DIFFERENT


def test_a_model_that_leaps_too_far_tells_nothing() -> None:
    assert accept_within_noise([AGREED, DIFFERENT], BOTH, moved_by(2.1 * MAX_NOISE))[1] == DIFFERENT


def test_what_is_no_number_is_not_excused() -> None:
    missing = msgspec.structs.replace(DIFFERENT, apart=None)
    assert accept_within_noise([AGREED, missing], BOTH, moved_by(0.01))[1] == missing


def test_the_original_is_not_asked_where_nothing_differs() -> None:
    def never(sample: str, seed: int) -> dict[str, NDArray[Any]]:
        raise AssertionError((sample, seed))

    assert accept_within_noise([AGREED], BOTH, never) == [AGREED]


def test_only_floating_point_numbers_are_changed_and_by_a_rounding() -> None:
    feeds: dict[str, NDArray[Any]] = {"x": np.full(1000, 2.0, np.float32), "ids": np.arange(3)}
    once, twice = perturb(feeds, 0), perturb(feeds, 1)
    assert np.array_equal(once["ids"], feeds["ids"])
    assert once["x"].dtype == np.float32
    assert 0 < np.abs(once["x"] - 2).max() < 2 * 6 * RELATIVE_CHANGE
    assert not np.array_equal(once["x"], twice["x"])
