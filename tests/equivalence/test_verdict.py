"""The verdict over all comparisons: one difference fails the whole, and no comparison proves nothing."""

from __future__ import annotations

import pytest

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal, Verdict
from webbuild.equivalence.compare_runs import final_verdicts
from webbuild.equivalence.verdict import require_equivalent
from webbuild.errors import FAILED, WebbuildError


def rows(
    objects: int,
    target: str = "webgpu",
    sample: str = "one.jpg",
    verdict: Verdict = "OK",
    *,
    from_fallback: bool = False,
) -> list[Comparison]:
    """Return the comparisons of an output of detections."""
    about = ComparedOutput(target, sample, "raw", "rows")
    reason: Mismatch | None = "too-far" if verdict == "DIFFERS" else None
    return [
        Comparison(
            subject=about.with_quantity(name),
            verdict=verdict if name == "score" else "OK",
            tolerance=0.1,
            signal=objects,
            max_abs=0.2,
            reason=reason,
            from_fallback=from_fallback,
        )
        for name in ("detections", "score")
    ]


def tensor(name: str, signal: float, sample: str = "one.jpg") -> list[Comparison]:
    """Return the comparison of a plain output, which may be zero everywhere."""
    about = ComparedOutput("webgpu", sample, "raw", name)
    reason: NoSignal | None = None if signal else "zero"
    verdict: Verdict = "OK" if signal else "VACUOUS"
    return [Comparison(subject=about, verdict=verdict, tolerance=0.1, signal=signal, reason=reason)]


def refusal(*groups: list[Comparison]) -> WebbuildError:
    with pytest.raises(WebbuildError) as caught:
        require_equivalent(final_verdicts([each for group in groups for each in group]))
    assert caught.value.exit_code == FAILED
    assert caught.value.fix
    return caught.value


def test_good_comparisons_on_both_graphs_are_a_proof() -> None:
    grey = [*rows(0, sample="(grey)"), *tensor("head", 0, "(grey)")]
    require_equivalent(final_verdicts([*rows(3), *rows(3, "wasm"), *tensor("head", 1), *grey]))


def test_one_difference_is_enough() -> None:
    error = refusal(rows(3), rows(3, "wasm", verdict="DIFFERS"), rows(3, sample="two.jpg"))
    assert error.code == "output-mismatch"
    for word in ("1 of 3", "'rows'", "wasm", "one.jpg", "score differs by 0.2, more than 0.1"):
        assert word in error.message


def test_samples_without_a_detection_prove_nothing() -> None:
    error = refusal(rows(0), rows(0, "wasm"))
    assert error.code == "vacuous-comparison"
    assert "no sample has a detection" in error.message
    assert "--sample" in error.fix
    assert "--dim" not in error.fix


def test_zeros_against_zeros_prove_nothing() -> None:
    error = refusal(tensor("y", 0), tensor("y", 0, "two.jpg"))
    assert (error.code, "zero everywhere" in error.message) == ("vacuous-comparison", True)
    assert "--dim NAME=N, --set NAME=VALUE" in error.fix


def test_every_output_has_to_be_proven() -> None:
    assert "'second'" in refusal(rows(3), tensor("second", 0)).message


def test_no_comparison_is_no_proof() -> None:
    refusal()


def test_a_graph_that_always_asked_for_its_fallback_is_not_proven() -> None:
    error = refusal(rows(3, from_fallback=True), rows(3, sample="two.jpg", from_fallback=True), rows(3, "wasm"))
    assert "passes every sample" in error.message
