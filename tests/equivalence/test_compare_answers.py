"""Masks in the proof: compared together with their rows; two empty results prove nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.compared import group_verdict
from tests.manifests import manifest
from tests.tasks.test_conformance import cases_of, read
from webbuild.compare.by_output import count_matched, group_by_output, matched_objects
from webbuild.compare.comparison import Comparison
from webbuild.compare.tolerances import NATIVE
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_answers import compare_answers
from webbuild.equivalence.compare_runs import final_verdicts
from webbuild.equivalence.policy import Policy, native_policy
from webbuild.equivalence.verdict import require_equivalent
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import DetectTask, Precision, SegmentTask, Task, TensorTask, task_union
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.reporting.comparison_text import output_title
from webbuild.tasks.run_context import RunContext

TASK = SegmentTask(output="rows", protos="protos", rows=2, classes=["cup"], mask_coefficients=2)
PLACEMENT = ImagePlacement(16, 16, 0, 0, 16, 16, 16, 16)
ROWS = np.array([[[1, 1, 15, 15, 0.9, 0, 1, -0.5], [0] * 8]], np.float32)
PROTOS = np.stack([np.full((8, 8), 0.5), np.tile(np.arange(8) / 4, (8, 1))])[None].astype(np.float32)


def answer(rows: NDArray[np.float32] = ROWS, protos: NDArray[np.float32] = PROTOS) -> Answer:
    outputs = {"rows": rows, "protos": protos}
    return Answer(TASK, outputs, RunContext(PLACEMENT))


def compared(want: Answer, got: Answer, precision: Precision = "fp32") -> list[Comparison]:
    graph = msgspec.structs.replace(manifest().graphs[0], precision=precision)
    return final_verdicts(compare_answers(graph.name, "one.jpg", want, got, native_policy(graph)))


def by_title(comparisons: list[Comparison]) -> dict[str, list[Comparison]]:
    return {output_title(group): group for group in group_by_output(comparisons).values()}


def verdicts(want: Answer, got: Answer, precision: Precision = "fp32") -> dict[str, str]:
    groups = by_title(compared(want, got, precision))
    return {title: group_verdict(group) for title, group in groups.items()}


def test_rows_masks_and_prototypes_are_judged() -> None:
    found = compared(answer(), answer())
    assert {each.verdict for each in found} == {"OK"}
    objects = {title: matched_objects(group) for title, group in by_title(found).items()}
    assert objects == {"rows": 1, "protos": None, "masks": 1}
    require_equivalent(found)
    assert count_matched(found) == 1


@pytest.mark.parametrize(
    ("task", "predictions", "stages"),
    [
        (TASK, "all", {"raw", "decoded"}),
        (TASK, "more", {"raw", "decoded"}),
        (TASK, "none", {"raw"}),
        (DetectTask(output="rows", rows=2, classes=["cup"]), "all", {"raw", "decoded"}),
        (DetectTask(output="rows", rows=2, classes=["cup"]), "more", {"raw"}),
    ],
)
def test_predictions_are_compared_where_the_policy_says(
    task: Task, predictions: Literal["all", "more", "none"], stages: set[str]
) -> None:
    one = replace(answer(), task=task)
    found = compare_answers("wasm", "one.jpg", one, one, Policy(NATIVE, predictions=predictions))
    assert {each.subject.stage for each in found} == stages


def test_a_plain_tensor_may_be_called_detections() -> None:
    plain = Answer(TensorTask(), {"detections": ROWS})
    assert count_matched(compared(plain, plain)) == 0
    assert verdicts(plain, plain) == {"detections": "OK"}
    assert verdicts(plain, replace(plain, outputs={"detections": ROWS + 1})) == {"detections": "DIFFERS"}


def test_other_coefficients_are_found_by_the_mask_they_make() -> None:
    other = ROWS.copy()
    other[0, 0, 7] = -0.25
    assert verdicts(answer(), answer(other))["masks"] == "DIFFERS"


def test_coefficients_that_make_the_same_mask_are_the_same() -> None:
    other = ROWS.copy()
    other[0, 0, 6:] *= 2
    assert verdicts(answer(), answer(other))["masks"] == "OK"


def test_masks_that_cover_nothing_on_any_sample_prove_nothing() -> None:
    empty = answer(protos=PROTOS * np.array([-1, 1], np.float32)[:, None, None])
    assert len(empty.detections) == 1
    with pytest.raises(WebbuildError, match="no sample has a mask") as caught:
        require_equivalent(compared(empty, empty))
    assert caught.value.code == "vacuous-comparison"


def test_a_missing_output_of_prototypes_differs() -> None:
    assert verdicts(answer(), Answer(TASK, {"rows": ROWS}))["protos"] == "DIFFERS"


def test_a_graph_in_reduced_precision_may_lie_further_off_and_not_too_far() -> None:
    near, far = ROWS.copy(), ROWS.copy()
    near[0, 0, :5] += (0.4, 0.4, 0.4, 0.4, 0.009)
    far[0, 0, 4] -= 0.011
    rounded = PROTOS + np.float32(0.009 * PROTOS.max())
    off = PROTOS + np.float32(0.011 * PROTOS.max())

    def found(got: Answer, precision: Precision) -> tuple[str, str]:
        runners = {each.subject.runner for each in compared(answer(), got, precision)}
        assert runners == {"webgpu" if precision == "fp32" else "webgpu mixed"}
        of = verdicts(answer(), got, precision)
        return of["rows"], of["protos"]

    assert found(answer(near, rounded), "mixed") == ("OK", "OK")
    assert found(answer(near, rounded), "fp32") == ("DIFFERS", "DIFFERS")
    assert found(answer(far, off), "mixed") == ("DIFFERS", "DIFFERS")


@cases_of("reduced-precision")
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
        found = compare_answers(graph.name, "one", wanted, given, native_policy(graph))
        assert (group_verdict(found) == "OK") is each["same"], found
