"""The half-precision search for a model with state: errors that accumulate from run to run count."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import onnx_ir as ir
import pytest

from tests.precision.case import measured
from webbuild.equivalence.check import EquivalenceResult
from webbuild.equivalence.reduced_precision import check_reduced_precision
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Graph, StateInput, TensorInput, TensorTask
from webbuild.passes.analysis import shape_inference
from webbuild.precision.accuracy_checker import AccuracyChecker
from webbuild.precision.budget import SearchBudget
from webbuild.precision.fp16_backends import EmulatedFp16
from webbuild.precision.search import PrecisionSearch
from webbuild.samples.sample import Sample
from webbuild.samples.sequences import STEPS, make_sequence

STATE = StateInput(name="s", dtype="float32", shape=[1, 4], output="sN")
INPUTS = (TensorInput(name="x", dtype="float32", shape=[1, 4]), STATE)
GROWTH = """
<ir_version: 8, opset_import: ["" : 17]>
growth (float[1, 4] x, float[1, 4] s) => (float[1, 4] y, float[1, 4] sN)
<float one = {1.0}, float tiny = {0.00045}, float two = {2.0}>
{
  [keep] kept = Max (s, one)
  [step] more = Mul (x, tiny)
  [grow] sN = Add (kept, more)
  [tell] y = Mul (sN, two)
}"""
"""A state that grows from 1 by less than half of float16's step: by 1.4 % in 32 runs, not at all in float16."""
ONES = {"x": np.ones((1, 4), np.float32), "s": np.zeros((1, 4), np.float32)}
SAMPLES = [Sample("one", ONES)]
SEQUENCE = make_sequence(SAMPLES, INPUTS)


def growth() -> ir.Model:
    model = ir.from_onnx_text(GROWTH)
    shape_inference.infer_shapes(model)
    return model


def checker(folder: Path, samples: list[Sample]) -> tuple[Graph, AccuracyChecker]:
    ir.save(growth(), folder / "graph.onnx")
    graph = Graph(target="webgpu", file="graph.onnx", weights=[], nodes=4, outputs=[], head_status=None)
    return graph, AccuracyChecker(graph, folder, TensorTask(), (), {}, samples, [STATE])


@pytest.mark.parametrize(("steps", "halved"), [([], True), (SEQUENCE, False)], ids=["alone", "in a sequence"])
def test_what_is_right_in_one_run_and_wrong_after_many_stays_float32(
    tmp_path: Path, steps: list[Sample], halved: bool
) -> None:
    _, judging = checker(tmp_path, [*SAMPLES, *steps])
    with EmulatedFp16() as arithmetic:
        search = PrecisionSearch(growth(), measured(), judging, arithmetic, SearchBudget(seconds=600), print)
        found = search.run(only_full=False)
    assert found.best is not None
    assert ("grow" in found.best.fp16_nodes) is halved


def test_the_reference_is_asked_with_the_states_of_the_run_before(tmp_path: Path) -> None:
    _, judging = checker(tmp_path, [*SAMPLES, *SEQUENCE])
    grown = judging.answers[SEQUENCE[-1].name]["sN"]
    assert grown == pytest.approx(np.full((1, 4), 1 + STEPS * 0.00045), rel=1e-5)
    assert judging.feeds[-1]["s"].min() > 1


def test_a_sequence_that_differs_is_run_first_and_alone_the_next_time(tmp_path: Path) -> None:
    _, judging = checker(tmp_path, [*SAMPLES, *SEQUENCE])
    asked: list[int] = []

    class Counting(EmulatedFp16):
        def run(self, model, feeds, states=()):  # type: ignore[no-untyped-def]
            asked.append(len(feeds))
            found = super().run(model, feeds, states)
            return [{**each, "y": each["y"] * (1.1 if states else 1)} for each in found]

    first, second = (judging.check(growth(), Counting()) for _ in range(2))
    assert f"{STEPS} steps of tensors, step 1" in first.mismatch
    assert second.mismatch == first.mismatch
    assert asked == [1, STEPS, STEPS]


def test_the_proof_runs_the_sequence_too(tmp_path: Path) -> None:
    graph, judging = checker(tmp_path, [*SAMPLES, *SEQUENCE])
    known = EquivalenceResult([], {"one": {}}, {}, {}, {"one": judging.answers["one"]})
    half = (
        PrecisionSearch(growth(), measured(), judging, EmulatedFp16(), SearchBudget(seconds=600), print)
        .plan.convert()
        .model
    )
    run = EmulatedFp16().run
    mixed = msgspec.structs.replace(graph, precision="mixed")
    prove = partial(check_reduced_precision, mixed, partial(run, half), TensorTask(), (), SAMPLES, known)
    assert {each.verdict for each in prove().comparisons} == {"OK"}
    with pytest.raises(WebbuildError, match=f"{STEPS} steps of tensors") as caught:
        prove(SEQUENCE, partial(run, half, states=[STATE]), judging.answers)
    assert caught.value.code == "output-mismatch"
