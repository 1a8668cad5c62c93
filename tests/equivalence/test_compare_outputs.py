"""Masks in the proof: judged beside their rows, and never nothing against nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.manifests import manifest
from tests.tasks.test_conformance import read, room
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.check import require_equivalent
from webbuild.equivalence.compare_outputs import (
    OutputComparison,
    compare_outputs,
    count_matched_detections,
)
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Precision, SegmentTask, TensorTask, task_union
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.samples.collect import Sample
from webbuild.tasks.base import RunContext

TASK = SegmentTask(output="rows", protos="protos", rows=2, classes=["cup"], masks=2)
PLACEMENT = ImagePlacement(16, 16, 0, 0, 16, 16, 16, 16)
ROWS = np.array([[[1, 1, 15, 15, 0.9, 0, 1, -0.5], [0] * 8]], np.float32)
PROTOS = np.stack([np.full((8, 8), 0.5), np.tile(np.arange(8) / 4, (8, 1))])[None].astype(np.float32)


def answer(rows: NDArray[np.float32] = ROWS, protos: NDArray[np.float32] = PROTOS) -> Answer:
    outputs = {"rows": rows, "protos": protos}
    return Answer(TASK, outputs, RunContext(PLACEMENT))


def proofs(want: Answer, got: Answer, precision: Precision = "fp32") -> dict[str, OutputComparison]:
    graph = msgspec.structs.replace(manifest().graphs[0], precision=precision)
    return {each.output: each for each in compare_outputs(Sample("one.jpg", {}), graph, want, got, repeated=False)}


def test_rows_masks_and_prototypes_are_judged() -> None:
    found = proofs(answer(), answer())
    assert {name: each.verdict for name, each in found.items()} == dict.fromkeys(
        ("rows", "masks of rows", "protos"), "OK"
    )
    assert (found["rows"].objects, found["masks of rows"].objects, found["protos"].objects) == (1, 1, None)
    require_equivalent(list(found.values()))
    assert count_matched_detections(list(found.values())) == 1


def test_a_plain_tensor_may_be_called_detections() -> None:
    plain = Answer(TensorTask(), {"detections": ROWS})
    same, other = proofs(plain, plain), proofs(plain, replace(plain, outputs={"detections": ROWS + 1}))
    assert (same["detections"].verdict, same["detections"].objects) == ("OK", None)
    assert other["detections"].verdict == "DIFFERS"


def test_other_coefficients_are_found_by_the_mask_they_make() -> None:
    other = ROWS.copy()
    other[0, 0, 7] = -0.25
    assert proofs(answer(), answer(other))["masks of rows"].verdict == "DIFFERS"


def test_coefficients_that_make_the_same_mask_are_the_same() -> None:
    other = ROWS.copy()
    other[0, 0, 6:] *= 2
    assert proofs(answer(), answer(other))["masks of rows"].verdict == "OK"


def test_masks_that_cover_nothing_on_any_sample_prove_nothing() -> None:
    empty = answer(protos=PROTOS * np.array([-1, 1], np.float32)[:, None, None])
    assert len(empty.detections) == 1
    with pytest.raises(WebbuildError, match="no sample has a mask") as caught:
        require_equivalent(list(proofs(empty, empty).values()))
    assert caught.value.code == "vacuous-comparison"


def test_a_missing_output_of_prototypes_differs() -> None:
    assert proofs(answer(), Answer(TASK, {"rows": ROWS}))["protos"].verdict == "DIFFERS"


def test_a_graph_in_reduced_precision_may_lie_further_off_and_not_too_far() -> None:
    near, far = ROWS.copy(), ROWS.copy()
    near[0, 0, :5] += (0.4, 0.4, 0.4, 0.4, 0.009)
    far[0, 0, 4] -= 0.011
    rounded = PROTOS + np.float32(0.009 * PROTOS.max())
    off = PROTOS + np.float32(0.011 * PROTOS.max())

    def verdicts(got: Answer, precision: Precision) -> tuple[str, str]:
        found = proofs(answer(), got, precision)
        assert {each.target for each in found.values()} == {"webgpu" if precision == "fp32" else "webgpu mixed"}
        return found["rows"].verdict, found["protos"].verdict

    assert verdicts(answer(near, rounded), "mixed") == ("OK", "OK")
    assert verdicts(answer(near, rounded), "fp32") == ("DIFFERS", "DIFFERS")
    assert verdicts(answer(far, off), "mixed") == ("DIFFERS", "DIFFERS")


@room("reduced")
def test_the_same_answer_in_reduced_precision_is_what_the_self_test_takes_for_it(file: Path) -> None:
    case = read(file)
    task = msgspec.convert(case["task"], task_union())
    want, *others = (
        np.array([float(value) for value in values], np.float32).reshape(case["dims"])
        for values in (case["want"], *(each["values"] for each in case["got"]))
    )
    graph = msgspec.structs.replace(manifest().graphs[0], precision="fp16")
    wanted = Answer(task, {case["output"]: want}, RunContext(thresholds={"confidence": 0.25}))
    for each, got in zip(case["got"], others, strict=True):
        given = replace(wanted, outputs={case["output"]: got})
        (proof,) = compare_outputs(Sample("one", {}), graph, wanted, given, repeated=False)
        assert (proof.verdict == "OK") is each["same"], (proof.distance, proof.why)
