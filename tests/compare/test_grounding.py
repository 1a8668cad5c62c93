"""Comparing detections by prompt: boxes, scores, phrases, and two empty results prove nothing."""

from __future__ import annotations

import msgspec

from webbuild.compare.comparison import ComparedOutput
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.reporting.comparison_text import describe_reason
from webbuild.tasks.decoding.detection import Box, GroundedDetection
from webbuild.tasks.metrics.compare_grounding import compare_grounding

ABOUT = ComparedOutput("webgpu", "one", "decoded", "")
AT = {"confidence": 0.35, "textThreshold": 0.25}
RING = GroundedDetection(box=Box(10, 10, 40, 40), score=0.7, class_index=0, label="red ring", margin=0.1)


def verdicts(want: list[GroundedDetection], got: list[GroundedDetection]) -> dict[str, str]:
    return {each.subject.name: each.verdict for each in compare_grounding(ABOUT, want, got, AT, BROWSER)}


def changed(**fields: object) -> list[GroundedDetection]:
    return [msgspec.structs.replace(RING, **fields)]


def test_the_same_is_right_and_what_differs_is_named_by_its_quantity() -> None:
    right = {"phrases": "OK", "score": "OK", "box": "OK"}
    assert verdicts([RING], [RING]) == right
    assert verdicts([RING], changed(label="ring")) == {**right, "phrases": "DIFFERS"}
    assert verdicts([RING], changed(score=0.702)) == {**right, "score": "DIFFERS"}
    assert verdicts([RING], changed(box=Box(10, 10, 40, 40.6))) == {**right, "box": "DIFFERS"}
    assert verdicts([RING], [])["phrases"] == "DIFFERS"


def test_the_words_that_differ_are_told() -> None:
    count = compare_grounding(ABOUT, [RING], changed(label="ring"), AT, BROWSER)[0]
    assert "wanted 'red ring', got 'ring'" in describe_reason(count)


def test_boxes_are_judged_in_pixels_of_the_models_input() -> None:
    moved = changed(box=Box(10, 10, 40, 40.6))
    assert {
        c.verdict for c in compare_grounding(ABOUT, [RING], moved, AT, msgspec.structs.replace(BROWSER, pixels=1.0))
    } == {"OK"}


def test_nothing_on_every_sample_proves_nothing() -> None:
    silent = compare_grounding(ABOUT, [], [], AT, BROWSER)
    assert {each.verdict for each in mark_vacuous(silent)} == {"VACUOUS"}
