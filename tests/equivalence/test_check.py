"""The original's outputs, padded to the graphs' shapes, and a detection head that requests its fallback."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.manifests import manifest
from webbuild.equivalence.check import _pad_rows
from webbuild.manifest.detection_head_status import fallback_reason


@pytest.mark.parametrize(
    ("converged", "candidates", "again"),
    [(1, 0, False), (1, 256, False), (1, 257, True), (0, 3, True), (0.5, 3, True), (float("nan"), 3, True)],
)
def test_a_head_that_is_not_sure_is_repeated(converged: float, candidates: float, again: bool) -> None:
    graph = manifest().graphs[0]
    outputs = {"head_status": np.array([converged, candidates], np.float32)}
    assert bool(fallback_reason(graph, outputs)) is again
    assert fallback_reason(graph, {})
    assert not fallback_reason(msgspec.structs.replace(graph, head_status=None), {})


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
