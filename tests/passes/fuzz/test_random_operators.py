"""All passes together leave the results of random operators and chains unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.random_models.chain import RefusedError, make_chain
from benchmarks.random_models.single_operator import make
from benchmarks.random_models.trial import GeneratedModel, describe_difference, patch_model, run_native

TOLERANCE = 1e-4
"""Relative to an output's largest magnitude, as for any model that is packed."""
OPTIMIZED = 1e-3
"""With the engine's own optimizations, which fold, reorder and approximate."""
SEEDS = st.integers(0, 2**31)


def assert_same(subject: GeneratedModel) -> None:
    """Compare both graphs with the original; the WASM graph with the engine's optimizations on, as in browsers."""
    model, feeds = subject.model(), subject.feeds()
    try:
        want = run_native(model, feeds)
    except Exception:
        return  # a model that ONNX Runtime refuses has no reference
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
