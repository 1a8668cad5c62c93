"""All passes together leave the numbers of random operators and chains what they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.random_models.chain import RefusedError, make_chain
from benchmarks.random_models.single_operator import make
from benchmarks.random_models.trial import GeneratedModel, describe_difference, patch_model, run_native

TOLERANCE = 1e-4
"""Of the largest magnitude of an output, as for any model that is packed."""
OPTIMIZED = 1e-3
"""With the engine's own optimizations, which fold, reorder and approximate."""
SEEDS = st.integers(0, 2**31)


def assert_same(subject: GeneratedModel) -> None:
    """Compare both graphs with the original, and with the engine's optimizations on that for WASM, as browsers do."""
    model, feeds = subject.model(), subject.feeds()
    try:
        want = run_native(model, feeds)
    except Exception:
        return  # what ONNX Runtime refuses as it is has nothing to be compared with
    got = run_native(patch_model(model).model, feeds)
    assert {name: array.dtype for name, array in got.items()} == {name: array.dtype for name, array in want.items()}
    assert [describe_difference(name, array, got[name], TOLERANCE) for name, array in want.items()] == [""] * len(
        want
    ), subject.what


@given(SEEDS)
def test_an_operator(seed: int) -> None:
    assert_same(make(seed))


@given(SEEDS)
def test_a_chain(seed: int) -> None:
    try:
        drawn = make_chain(seed)
    except RefusedError:
        return
    assert_same(drawn)


def test_most_seeds_make_a_model_that_onnx_runtime_takes() -> None:
    taken = 0
    for seed in range(100):
        subject = make(seed)
        try:
            taken += bool(run_native(subject.model(), subject.feeds()))
        except Exception:
            continue
    assert taken >= 95


def test_a_difference_is_seen() -> None:
    subject = make(17)
    want = run_native(subject.model(), subject.feeds())
    name, array = next(iter(want.items()))
    assert describe_difference(name, array, array) == ""
    assert describe_difference(name, array, array + array.dtype.type(1)) != ""
    assert describe_difference(name, array, None) != ""
    assert describe_difference(name, array, array[:0]) != ""


@pytest.mark.parametrize("seed", [0, 11])
def test_a_seed_makes_the_same_case_again(seed: int) -> None:
    assert make(seed).model() == make(seed).model()
    assert make_chain(seed).model() == make_chain(seed).model()
