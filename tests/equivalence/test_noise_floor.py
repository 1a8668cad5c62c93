"""A difference is accepted only where the reference itself varies as much."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.equivalence.noise_floor import (
    MAX_RELATIVE_NOISE,
    MAX_SCORE_NOISE,
    NOISE_FACTOR,
    PERTURBED_RUNS,
    NoiseFloor,
    pool_rms,
)


def made(quantity: str, rms: float | None, signal: float = 10, sample: str = "a", *, same: bool = False) -> Comparison:
    """Return a comparison of a quantity, or of the tensor `y` if that is empty."""
    return Comparison(
        subject=ComparedOutput("webgpu", sample, "raw", "y", "", quantity),
        verdict="OK" if same else "DIFFERS",
        tolerance=0.001,
        max_abs=rms,
        signal=signal,
        reason=None if same else "too-far",
        rms=rms,
    )


def verdicts(comparisons: Sequence[Comparison], *noise: Comparison) -> list[str]:
    return [each.verdict for each in NoiseFloor(lambda _: noise).accept(comparisons)]


@pytest.mark.parametrize("quantity", ["", "score", "box", "mask", "polygon", "depth"])
def test_what_the_reference_does_itself_is_no_difference(quantity: str) -> None:
    level = 0.04
    assert verdicts([made(quantity, 0.99 * NOISE_FACTOR * level)], made(quantity, level)) == ["OK"]
    assert verdicts([made(quantity, 1.01 * NOISE_FACTOR * level)], made(quantity, level)) == ["DIFFERS"]
    assert verdicts([made(quantity, level)], made(quantity, 0.0)) == ["DIFFERS"]


def test_a_tensor_handed_on_as_the_result_has_the_noise_of_the_output() -> None:
    raw = made("", 0.1)
    given, decoded = (replace(raw, subject=replace(raw.subject, stage=stage)) for stage in ("input", "decoded"))
    assert verdicts([raw, decoded], raw) == ["OK", "OK"]
    assert verdicts([raw, decoded], made("", 0.05)) == ["DIFFERS", "DIFFERS"]
    assert verdicts([given], raw) == ["DIFFERS"]  # the image's own tensor is no output


def test_the_level_that_explains_it_is_told() -> None:
    (accepted,) = NoiseFloor(lambda _: [made("score", 0.05)]).accept([made("score", 0.05)])
    assert (accepted.noise, accepted.reason, accepted.max_abs) == (0.05, None, 0.05)


def test_the_largest_of_the_runs_counts_and_no_more_are_made_than_it_takes() -> None:
    asked: list[int] = []

    def rerun(seed: int) -> list[Comparison]:
        asked.append(seed)
        return [made("", 0.3 if seed == 2 else 0.0)]

    floor = NoiseFloor(rerun)
    assert [each.verdict for each in floor.accept([made("", 0.3)])] == ["OK"]
    assert [each.verdict for each in floor.accept([made("", 0.4)])] == ["OK"]
    assert asked == [0, 1, 2]
    assert [each.verdict for each in floor.accept([made("", 0.46)])] == ["DIFFERS"]
    assert asked == list(range(PERTURBED_RUNS))


@pytest.mark.parametrize("same", [True, False])
def test_a_model_is_unstable_where_one_perturbed_run_differs(same: bool) -> None:
    floor = NoiseFloor(lambda _: [made("score", 0.1, same=same), made("box", 0.0, same=True)])
    assert floor.is_unstable is not same
    assert floor.named_levels == {"raw score": 0.1, "raw box": 0.0}


def test_the_reference_is_not_asked_where_it_could_not_help() -> None:
    def never(seed: int) -> list[Comparison]:
        raise AssertionError(seed)

    floor = NoiseFloor(never)
    for comparisons in (
        [made("score", 0.0, same=True)],
        [made("score", None)],
        [made("score", 0.0, same=True), made("score", None)],
        [made("score", 1.01 * NOISE_FACTOR * MAX_SCORE_NOISE)],
        [made("", 1.01 * NOISE_FACTOR * MAX_RELATIVE_NOISE * 10)],
    ):
        assert floor.accept(comparisons) == comparisons


def test_the_samples_are_judged_together() -> None:
    noise = made("score", 0.05, 50), made("score", 0.05, 50, "b")
    few = [made("score", 0.2, 1), made("score", 0.01, 99, "b")]
    half = [made("score", 0.2, 50), made("score", 0.01, 50, "b")]
    assert verdicts(few, *noise) == ["OK", "OK"]
    assert verdicts(half, *noise) == ["DIFFERS", "DIFFERS"]


def test_a_quantity_without_noise_stays_as_strict_as_it_was() -> None:
    found = verdicts([made("score", 0.05), made("box", 0.6)], made("score", 0.05), made("box", 0.0))
    assert found == ["OK", "DIFFERS"]


@pytest.mark.parametrize(("quantity", "limit"), [("score", MAX_SCORE_NOISE), ("", 10 * MAX_RELATIVE_NOISE)])
def test_with_more_noise_than_that_nothing_is_explained(quantity: str, limit: float) -> None:
    steady = made("box", 0.3)
    assert verdicts([made(quantity, limit), steady], made(quantity, 0.99 * limit), steady) == ["OK", "OK"]
    assert verdicts([made(quantity, limit), steady], made(quantity, 1.01 * limit), steady) == ["DIFFERS"] * 2


@pytest.mark.parametrize(("noise", "lonely", "verdict"), [(2, 3, "OK"), (2, 4, "DIFFERS"), (0, 1, "DIFFERS")])
def test_objects_without_a_partner_are_counted(noise: int, lonely: int, verdict: str) -> None:
    split = [made("detections", lonely - 1), made("detections", 1, sample="b")]
    assert set(verdicts(split, made("detections", noise), made("detections", 0, sample="b"))) == {verdict}


def test_a_run_on_the_fallback_says_nothing_of_the_graph() -> None:
    own, again = made("", 0.3), made("", 0.0, sample="b", same=True)
    repeated = Comparison(**{**{name: getattr(again, name) for name in again.__struct_fields__}, "from_fallback": True})
    noise = made("", 0.15), made("", 0.3, sample="b")
    assert verdicts([own, again], *noise) == ["OK", "OK"]
    assert verdicts([own, repeated], *noise) == ["DIFFERS", "OK"]


def test_what_has_no_number_makes_its_quantity_infinite() -> None:
    key = ("raw", "y", "score")
    assert pool_rms([made("score", 0.0, 0)]) == {key: 0.0}
    assert pool_rms([made("score", 0.0), made("score", None, 0)]) == {key: float("inf")}
    assert pool_rms([made("score", None, same=True)]) == {key: 0.0}


@pytest.mark.parametrize(("same", "verdict"), [(True, "OK"), (False, "DIFFERS")])
def test_a_best_class_that_noise_leaves_as_it_is_says_nothing_against_noise(same: bool, verdict: str) -> None:
    """Classes and characters are equal or not: they have no root mean square."""
    candidate = made("", 0.1), made("class", None, same=True)
    assert verdicts(candidate, made("", 0.1), made("class", None, same=same)) == [verdict, "OK"]


@pytest.mark.parametrize(
    ("difference", "noise", "within_noise"),
    [(3, 2.5, True), (3, 1.9, False), (0.3, 2.5, True), (None, 2.5, False), (3, 0.0, False)],
)
def test_noise_that_makes_a_difference_itself_drowns_it_however_large(
    difference: float | None, noise: float, within_noise: bool
) -> None:
    floor = NoiseFloor(lambda _: [made("", noise)])
    comparisons = floor.accept([made("", difference)])
    assert [each.verdict for each in comparisons] == ["DIFFERS"]
    assert floor.explains_all(comparisons) is within_noise


def test_where_nothing_differs_nothing_drowns() -> None:
    assert not NoiseFloor(lambda _: [made("", 5.0)]).explains_all([made("", 0.0, same=True)])
