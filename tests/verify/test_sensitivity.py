"""Models whose answers leap: a backend is judged by how far apart the reference's own answers lie."""

from __future__ import annotations

import pytest

from webbuild.compare.arrays import ComparedOutput, Comparison
from webbuild.verify.sensitivity import (
    MAX_REPEATS,
    MIN_PAIRS,
    MIN_REPEATS,
    NoiseFloor,
    apply_noise_floor,
    pool_rms,
    repeat_count,
)


def score(rms: float | None, pairs: float = 10, verdict: str = "DIFFERS") -> Comparison:
    return made("score", rms, pairs, verdict)


def made(name: str, rms: float | None, signal: float, verdict: str = "DIFFERS") -> Comparison:
    return Comparison(
        subject=ComparedOutput("wasm", "a", "raw", name),
        verdict="OK" if verdict == "OK" else "DIFFERS",
        tolerance=0.001,
        max_abs=None if rms is None else 3 * rms,
        signal=signal,
        rms=rms,
    )


def verdicts(comparisons: list[Comparison], spread: dict[str, float]) -> list[str]:
    pooled = {("raw", name): value for name, value in spread.items()}
    return [comparison.verdict for comparison in apply_noise_floor(comparisons, NoiseFloor(pooled))]


def test_what_the_reference_does_itself_is_no_difference() -> None:
    assert verdicts([score(0.05)], {"score": 0.05}) == ["OK"]
    assert verdicts([score(0.07)], {"score": 0.05}) == ["OK"]
    assert verdicts([score(0.08)], {"score": 0.05}) == ["DIFFERS"]


def test_the_samples_are_judged_together() -> None:
    assert verdicts([score(0.2, pairs=1), score(0.01, pairs=99)], {"score": 0.05}) == ["OK", "OK"]
    assert verdicts([score(0.2, pairs=50), score(0.01, pairs=50)], {"score": 0.05}) == ["DIFFERS", "DIFFERS"]


@pytest.mark.parametrize(("spread", "verdict"), [(0.5, "OK"), (3.0, "DIFFERS")])
def test_an_output_as_large_as_its_own_spread_says_nothing(spread: float, verdict: str) -> None:
    assert verdicts([made("output0", spread, 5)], {"output0": spread}) == [verdict]


def test_masks_that_leap_by_a_quarter_say_nothing() -> None:
    assert verdicts([made("mask", 0.2, 5)], {"mask": 0.2}) == ["OK"]
    assert verdicts([made("mask", 0.3, 5)], {"mask": 0.3}) == ["DIFFERS"]


def test_a_steady_quantity_stays_as_strict_as_it_was() -> None:
    assert verdicts([made("box", 0.6, 5)], {"score": 0.05, "box": 0.0}) == ["DIFFERS"]
    assert verdicts([made("output0", 0.6, 5)], {}) == ["DIFFERS"]


def test_what_has_no_number_is_never_explained() -> None:
    assert verdicts([score(None)], {"score": 0.2}) == ["DIFFERS"]
    assert verdicts([score(0.01, verdict="OK"), score(None)], {"score": 0.2}) == ["OK", "DIFFERS"]


def test_where_nothing_could_be_told_apart_nothing_is_explained() -> None:
    assert verdicts([score(0.1)], {"score": 0.3}) == ["DIFFERS"]


@pytest.mark.parametrize(("lonely", "verdict"), [(4, "OK"), (5, "DIFFERS")])
def test_detections_without_a_partner_are_counted(lonely: int, verdict: str) -> None:
    assert verdicts([made("detections", lonely, 20)], {"detections": 2.0}) == [verdict]
    halves = [made("detections", lonely / 2, 20), made("detections", lonely / 2, 20)]
    assert verdicts(halves, {"detections": 2.0}) == [verdict, verdict]


def test_nothing_compared_pools_to_nothing() -> None:
    assert pool_rms([score(0.0, pairs=0)]) == {("raw", "score"): 0.0}


def test_the_fewer_objects_the_more_often_the_reference_runs() -> None:
    assert [repeat_count(objects) for objects in (0, 5, 19, 30, 500)] == [MIN_REPEATS, MAX_REPEATS, 16, 10, MIN_REPEATS]
    assert all(objects * repeat_count(objects) >= MIN_PAIRS for objects in range(15, 200))
