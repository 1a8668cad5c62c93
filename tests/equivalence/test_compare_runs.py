"""Tiny models with discontinuous operators: a rounding difference is accepted, a changed weight is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from tests.models import HEADER, parsed, save
from webbuild.compare.perturbation import RELATIVE_CHANGE, perturb
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import Reference, RunInput, compare_runs
from webbuild.equivalence.policy import EXACT
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask, Task, TensorTask
from webbuild.runners.native import NativeRunner

Array = NDArray[np.float32]
Product = Callable[[Array, Array], Array]

PICTURES = [np.random.default_rng(seed).random((40, 64)).astype(np.float32) for seed in range(3)]
WEIGHTS = np.random.default_rng(9).standard_normal((64, 128)).astype(np.float32)


def in_order(x: Array, w: Array) -> Array:
    return x @ w


def in_halves(x: Array, w: Array) -> Array:
    return x[:, ::2] @ w[::2] + x[:, 1::2] @ w[1::2]


def steady(x: Array, w: Array, product: Product) -> Mapping[str, Array]:
    """Return a matrix product: [40, 64] -> [40, 128]."""
    return {"y": product(x, w)}


def deciding(x: Array, w: Array, product: Product) -> Mapping[str, Array]:
    """Return a model that sorts the product's numbers into 8 bins: rounding sometimes moves one to the next bin."""
    return {"y": np.floor(product(x, w) * 1000) % 8}


def detecting(x: Array, w: Array, product: Product) -> Mapping[str, Array]:
    """Return a model of detection rows with scores of 64 levels: [40, 64] -> [1, 40, 6]."""
    score = 0.3 + np.floor(product(x, w)[:, 0] * 1e5) % 64 / 128
    left = np.arange(len(x)) * 20.0
    found = np.stack([left, left, left + 15, left + 15, score, np.zeros_like(score)], axis=1)
    return {"y": found[None].astype(np.float32)}


MODELS = pytest.mark.parametrize(
    ("model", "task"),
    [(deciding, TensorTask()), (detecting, DetectTask(output="y", rows=40, classes=["cup"]))],
    ids=["bins", "scores"],
)


def judged(model: Any, task: Task, w: Array, product: Product) -> set[tuple[str, bool]]:
    """Return the verdicts on a candidate, and whether they used the noise floor."""
    inputs = [RunInput(str(number), {"x": x}) for number, x in enumerate(PICTURES)]
    reference = Reference(lambda each: model(each.feeds["x"], WEIGHTS, in_order), inputs, task, EXACT)
    answers = [Answer(task, model(x, w, product)) for x in PICTURES]
    return {(each.verdict, each.noise is not None) for each in compare_runs(reference, "webgpu", answers, EXACT)}


def test_a_steady_model_takes_no_noise_floor() -> None:
    assert judged(steady, TensorTask(), WEIGHTS, in_halves) == {("OK", False)}


@MODELS
def test_another_order_of_summation_is_the_same_model(model: Any, task: Task) -> None:
    found = judged(model, task, WEIGHTS, in_halves)
    assert {verdict for verdict, _ in found} == {"OK"}
    assert ("OK", True) in found


@MODELS
def test_a_weight_that_is_a_few_per_cent_off_is_another_model(model: Any, task: Task) -> None:
    other = WEIGHTS.copy()
    other[7] *= 1.03  # the factor of one of 64 inputs
    assert "DIFFERS" in {verdict for verdict, _ in judged(model, task, other, in_halves)}


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "OK"), (1.03, "DIFFERS")])
def test_where_only_tokens_go_in_the_weights_are_perturbed(tmp_path: Path, factor: float, verdict: str) -> None:
    model = parsed(
        f"{HEADER} words (int64[40] ids) => (float[40,128] y) <float eight = {{8}}, float steps = {{1000}}> {{ "
        "x = Gather (table, ids) a = MatMul (x, w) b = Mul (a, steps) c = Floor (b) y = Mod <fmod = 1> (c, eight) }"
    )
    table = np.random.default_rng(4).random((100, 64)).astype(np.float32)
    for name, array in {"table": table, "w": WEIGHTS}.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    native = NativeRunner(save(model, tmp_path / "words.onnx"))
    inputs = [RunInput(str(seed), {"ids": np.random.default_rng(seed).integers(0, 100, 40)}) for seed in range(3)]
    reference = Reference(lambda each: native.run(each.feeds), inputs, TensorTask(), EXACT, native.perturbed)
    other = WEIGHTS.copy()
    other[7] *= factor
    answers = [
        Answer(TensorTask(), {"y": np.fmod(np.floor(in_halves(table[each.feeds["ids"]], other) * 1000), 8)})
        for each in inputs
    ]
    assert {each.verdict for each in compare_runs(reference, "webgpu", answers, EXACT)} == {verdict}
    before = native.run(inputs[0].feeds)["y"]
    assert np.array_equal(before, reference.answers[0].outputs["y"])  # the weights are unchanged


def test_a_reference_that_fails_under_noise_excuses_no_difference() -> None:
    inputs = [RunInput(str(number), {"x": x}) for number, x in enumerate(PICTURES)]

    def run(each: RunInput) -> Mapping[str, Array]:
        if not any(np.array_equal(each.feeds["x"], x) for x in PICTURES):
            raise WebbuildError("reference-run-failed", "a Reshape to another size", "")
        return deciding(each.feeds["x"], WEIGHTS, in_order)

    reference = Reference(run, inputs, TensorTask(), EXACT)
    answers = [Answer(TensorTask(), deciding(x, WEIGHTS, in_halves)) for x in PICTURES]
    assert "DIFFERS" in {each.verdict for each in compare_runs(reference, "webgpu", answers, EXACT)}


def normalized_in_order(x: Array, scale: float, bias: float) -> Array:
    """Compute InstanceNormalization of one channel with sequential sums."""

    def mean(values: Array) -> np.float32:
        return np.float32(np.add.accumulate(values.ravel(), dtype=np.float32)[-1] / np.float32(values.size))

    centered = x - mean(x)
    deviation = np.sqrt(mean(centered**2) + np.float32(1e-5))
    return np.asarray(centered / deviation * scale + bias, np.float32)


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "OK"), (1.03, "DIFFERS")])
def test_a_sum_of_a_whole_picture_is_rounded_by_its_length(tmp_path: Path, factor: float, verdict: str) -> None:
    model = parsed(
        f"{HEADER} style (float[1,1,512,512] x) => (float[1,1,512,512] y) <float[1] scale = {{3.7}}, float[1] bias = "
        "{0.1}> { y = InstanceNormalization (x, scale, bias) }"
    )
    native = NativeRunner(save(model, tmp_path / "style.onnx"))
    inputs = [RunInput("bright", {"x": np.random.default_rng(1).random((1, 1, 512, 512)).astype(np.float32) ** 8})]
    reference = Reference(lambda each: native.run(each.feeds), inputs, TensorTask(), EXACT, native.perturbed)
    answers = [Answer(TensorTask(), {"y": normalized_in_order(each.feeds["x"], 3.7 * factor, 0.1)}) for each in inputs]
    (found,) = compare_runs(reference, "wasm", answers, EXACT)
    assert found.verdict == verdict
    assert (found.noise is not None) == (verdict == "OK")


def test_only_floating_point_numbers_are_changed_and_by_a_rounding() -> None:
    feeds: dict[str, NDArray[Any]] = {"x": np.full(1000, 2.0, np.float32), "ids": np.arange(3)}
    once, twice = perturb(feeds, 0), perturb(feeds, 1)
    assert np.array_equal(once["ids"], feeds["ids"])
    assert once["x"].dtype == np.float32
    assert 0 < np.abs(once["x"] - 2).max() < 2 * 6 * RELATIVE_CHANGE
    assert not np.array_equal(once["x"], twice["x"])


def test_a_repeated_run_is_the_fallbacks_and_never_nothing() -> None:
    inputs = [RunInput(str(number), {"x": x}) for number, x in enumerate(PICTURES)]
    reference = Reference(lambda each: steady(each.feeds["x"], WEIGHTS, in_order), inputs, TensorTask(), EXACT)
    wasm = compare_runs(reference, "wasm", reference.answers, EXACT)
    answers = [None, *reference.answers[1:]]
    found = compare_runs(reference, "webgpu", answers, EXACT, wasm)
    assert [each.from_fallback for each in found] == [True, False, False]
    assert {each.subject.runner for each in found} == {"webgpu"}
    with pytest.raises(KeyError):
        compare_runs(reference, "webgpu", answers, EXACT, wasm[1:])
