"""Comparing lists of detections: matched by box, never by rank, and two empty lists prove nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.verify.detections_made import TASK, person, rows
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.tasks.metrics.compare_detections import compare_detections
from webbuild.tasks.metrics.detection_arrays import from_detections, from_rows

AT = {"confidence": 0.25, "iou": 0.7}
PAIR = rows((10, 10, 0.9), (100, 10, 0.8))


def compared(want: NDArray[Any], got: NDArray[Any], sample: str = "street", pixel: float = 1) -> dict[str, Comparison]:
    subject = ComparedOutput("webgpu", sample, "raw", "output0")
    allowed = msgspec.structs.replace(BROWSER, pixels=BROWSER.pixels * pixel)
    found = compare_detections(subject, from_rows(TASK, want), from_rows(TASK, got), AT, allowed)
    return {each.subject.name: each for each in found}


def test_the_same_people_are_the_same() -> None:
    verdicts = compared(PAIR, PAIR.copy())
    assert {name: each.verdict for name, each in verdicts.items()} == dict.fromkeys(
        ("detections", "score", "box", "keypoint"), "OK"
    )
    assert all(each.signal == 2 for each in verdicts.values())


def test_rank_does_not_matter() -> None:
    swapped = rows((100, 10, 0.8), (10, 10, 0.9))
    assert {each.verdict for each in compared(PAIR, swapped).values()} == {"OK"}


@pytest.mark.parametrize(
    ("got", "broken"),
    [
        (rows((10, 10, 0.9)), {"detections"}),
        (rows((10, 10, 0.9), (100, 10, 0.8), (200, 10, 0.7)), {"detections"}),
        (rows((10, 10, 0.9), (300, 10, 0.8)), {"detections"}),
        (rows((10, 10, 0.9), (100, 10, 0.79)), {"score"}),
        (rows((10, 10, 0.9), (100.6, 10, 0.8)), {"box", "keypoint"}),
        (rows(), {"detections", "score", "box", "keypoint"}),
        (rows((10, 10, 0.9), (np.nan, 10, 0.8)), {"score", "box", "keypoint"}),
    ],
    ids=["one too few", "one too many", "elsewhere", "another score", "moved", "nobody", "NaN"],
)
def test_what_differs_is_named(got: NDArray[Any], broken: set[str]) -> None:
    verdicts = compared(PAIR, got)
    assert {name for name, each in verdicts.items() if each.verdict == "DIFFERS"} == broken


def test_half_a_pixel_is_one_of_the_models_input() -> None:
    moved = rows((10, 10, 0.9), (100.9, 10, 0.8))
    assert compared(PAIR, moved)["box"].verdict == "DIFFERS"
    assert compared(PAIR, moved, pixel=2)["box"].verdict == "OK"


def test_one_wrong_keypoint_is_seen() -> None:
    got = PAIR.copy()
    got[1, 9] += 0.7
    assert compared(PAIR, got)["keypoint"].verdict == "DIFFERS"


def test_a_detection_on_the_threshold_may_be_missing() -> None:
    assert compared(rows((10, 10, 0.9), (100, 10, 0.2503)), rows((10, 10, 0.9)))["detections"].verdict == "OK"


def test_nobody_on_one_sample_is_fine_and_on_all_is_vacuous() -> None:
    nobody = list(compared(rows(), rows(), "empty street").values())
    assert {each.verdict for each in nobody} == {"OK"}
    assert {each.verdict for each in mark_vacuous(nobody)} == {"VACUOUS"}
    together = mark_vacuous([*nobody, *compared(PAIR, PAIR).values()])
    assert {each.verdict for each in together} == {"OK"}


def test_another_stage_or_backend_does_not_speak_for_this_one() -> None:
    nobody = list(compared(rows(), rows()).values())
    for subject in (ComparedOutput("wasm", "street", "raw", ""), ComparedOutput("webgpu", "street", "decoded", "")):
        others = compare_detections(subject, from_rows(TASK, PAIR), from_rows(TASK, PAIR), AT, BROWSER)
        assert {each.verdict for each in mark_vacuous([*nobody, *others])[:4]} == {"VACUOUS"}


def test_void_keeps_what_differs() -> None:
    differing = list(compared(PAIR, rows()).values())
    assert [each.verdict for each in mark_vacuous(differing)] == [each.verdict for each in differing]


def test_decoded_detections_are_compared_with_their_keypoints() -> None:
    made = from_detections(TASK, [person(), person()])
    assert (len(made), made.boxes[0].tolist(), made.scores[0]) == (2, [1, 2, 30, 40], 0.9)
    assert made.keypoints[1].tolist() == [[5, 6, 0.9], [7, 8, 0.9]]
    assert len(from_detections(TASK, [])) == 0
