"""What was found by words is judged: boxes, scores, words, and nothing against nothing."""

from __future__ import annotations

import msgspec

from webbuild.tasks.detection import Box
from webbuild.tasks.phrases import PhraseFound
from webbuild.verify.compare import Subject
from webbuild.verify.detections import void_silent
from webbuild.verify.phrased import compare_phrases

ABOUT = Subject("webgpu", "one", "decoded", "")
AT = {"confidence": 0.35, "textThreshold": 0.25}
RING = PhraseFound(box=Box(10, 10, 40, 40), score=0.7, class_index=0, label="red ring", margin=0.1)


def verdicts(want: list[PhraseFound], got: list[PhraseFound]) -> dict[str, str]:
    return {each.subject.output: each.verdict for each in compare_phrases(ABOUT, want, got, AT).comparisons}


def changed(**fields: object) -> list[PhraseFound]:
    return [msgspec.structs.replace(RING, **fields)]


def test_the_same_is_right_and_what_differs_is_named_by_its_quantity() -> None:
    right = {"phrases": "OK", "score": "OK", "box": "OK"}
    assert verdicts([RING], [RING]) == right
    assert verdicts([RING], changed(label="ring")) == {**right, "phrases": "DIFFERS"}
    assert verdicts([RING], changed(score=0.702)) == {**right, "score": "DIFFERS"}
    assert verdicts([RING], changed(box=Box(10, 10, 40, 40.6))) == {**right, "box": "DIFFERS"}
    assert verdicts([RING], [])["phrases"] == "DIFFERS"


def test_the_words_that_differ_are_told() -> None:
    count = compare_phrases(ABOUT, [RING], changed(label="ring"), AT).comparisons[0]
    assert "wanted 'red ring', got 'ring'" in count.why


def test_boxes_are_judged_in_pixels_of_the_models_input() -> None:
    moved = changed(box=Box(10, 10, 40, 40.6))
    assert {c.verdict for c in compare_phrases(ABOUT, [RING], moved, AT, pixel=2.0).comparisons} == {"OK"}


def test_nothing_on_every_sample_proves_nothing() -> None:
    silent = compare_phrases(ABOUT, [], [], AT).comparisons
    assert {each.verdict for each in void_silent(silent)} == {"VACUOUS"}
