"""The verdict over all comparisons: one that differs stops everything, and nothing proves nothing."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.manifests import manifest
from webbuild.equivalence.check import _pad_rows, require_equivalent
from webbuild.equivalence.compare_outputs import OutputComparison
from webbuild.errors import FAILED, WebbuildError
from webbuild.manifest.head_status import fallback_reason

GOOD = OutputComparison("one.jpg", "webgpu", "rows", "OK", 3, 0, False, "score 0", "")


def other(**fields: object) -> OutputComparison:
    return msgspec.structs.replace(GOOD, **fields)


def refusal(*proofs: OutputComparison) -> WebbuildError:
    with pytest.raises(WebbuildError) as caught:
        require_equivalent(proofs)
    assert caught.value.exit_code == FAILED
    assert caught.value.fix
    return caught.value


def test_good_comparisons_on_both_graphs_are_a_proof() -> None:
    require_equivalent(
        [GOOD, other(target="wasm"), other(sample="(grey)", objects=0), other(output="head", objects=None)]
    )


def test_one_difference_is_enough() -> None:
    error = refusal(GOOD, other(target="wasm", verdict="DIFFERS", why="scores differ by 0.1"), GOOD)
    assert error.code == "output-mismatch"
    for word in ("1 of 3", "'rows'", "wasm", "one.jpg", "scores differ by 0.1"):
        assert word in error.message


def test_samples_without_a_detection_prove_nothing() -> None:
    error = refusal(other(objects=0), other(objects=0, target="wasm"))
    assert error.code == "vacuous-comparison"
    assert "no sample has a detection" in error.message
    assert "--input" in error.fix


def test_zeros_against_zeros_prove_nothing() -> None:
    assert refusal(other(verdict="VACUOUS", objects=None)).code == "vacuous-comparison"


def test_every_output_has_to_be_proven() -> None:
    assert "'second'" in refusal(GOOD, other(output="second", objects=None, verdict="VACUOUS")).message


def test_no_comparison_is_no_proof() -> None:
    refusal()


def test_a_graph_that_always_asked_for_its_fallback_is_not_proven() -> None:
    refusal(other(repeated=True), other(sample="two.jpg", repeated=True), other(target="wasm"))


@pytest.mark.parametrize(
    ("converged", "candidates", "again"),
    [(1, 0, False), (1, 256, False), (1, 257, True), (0, 3, True), (0.5, 3, True), (float("nan"), 3, True)],
)
def test_a_head_that_is_not_sure_is_repeated(converged: float, candidates: float, again: bool) -> None:
    graph = manifest().graphs[0]
    outputs = {"head_status": np.array([converged, candidates], np.float32)}
    assert bool(fallback_reason(graph, outputs)) is again
    assert fallback_reason(graph, {})
    assert not fallback_reason(msgspec.structs.replace(graph, status=None), {})


@pytest.mark.parametrize(("rows", "declared", "same"), [(2, ["n", 2], True), (2, [2, 2], False), (4, ["n", 2], False)])
def test_rows_of_which_the_data_decide_the_number_are_filled_up_with_zeros(
    rows: int, declared: list[int | str | None], same: bool
) -> None:
    patched = np.zeros((3, 2), np.float32)
    patched[:rows] = 1
    want = _pad_rows(np.ones((rows, 2), np.float32), declared, [3, 2])
    assert (want.shape == patched.shape and np.array_equal(want, patched)) is same


def test_rows_behind_the_last_that_are_not_zero_differ() -> None:
    assert not np.array_equal(_pad_rows(np.ones((2, 2), np.float32), ["n", 2], [3, 2]), np.ones((3, 2)))
