"""Crop results are compared box by box: nearly equal scores may swap their order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import CropEmbeddingsTask
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.detection import Box, KeypointPosition
from webbuild.tasks.registry import kind_of
from webbuild.tasks.run_context import RunContext

TASK = CropEmbeddingsTask(output="vector", size=2)
CONTEXT = RunContext(thresholds={"confidence": 0.25, "iou": 0.7})
TOLERANCE = Tolerance(score=1e-3, pixels=0.5, relative=1e-3)


def found(left: float, score: float, angle: float) -> CropDetection:
    """Return a detection with a box of 20 by 40 and a unit vector."""
    box = Box(left, 10.0, left + 20, 50.0)
    vector = (math.cos(angle), math.sin(angle))
    return CropDetection(box=box, score=score, class_index=0, label="person", embedding=vector)


def verdicts(expected: Sequence[CropDetection], actual: Sequence[CropDetection]) -> dict[str, Comparison]:
    subject = ComparedOutput("webgpu", "a picture", "decoded", "")
    compared = kind_of(TASK).compare(TASK, subject, expected, actual, CONTEXT, TOLERANCE)
    return {each.subject.quantity: each for each in compared}


PEOPLE = [found(0, 0.8, 0.1), found(60, 0.7999, 1.4)]


def test_boxes_that_change_places_are_compared_with_themselves() -> None:
    swapped = [found(60.1, 0.80005, 1.4), found(0.1, 0.8, 0.1)]
    assert {each.verdict for each in verdicts(PEOPLE, swapped).values()} == {"OK"}


def test_another_vector_of_one_box_differs() -> None:
    other = [found(60, 0.80005, 0.1), found(0, 0.8, 0.1)]
    compared = verdicts(PEOPLE, other)
    assert compared["detections"].verdict == "OK"
    assert compared["cosine distance"].verdict == "DIFFERS"


def test_a_box_that_has_no_partner_differs_and_is_named() -> None:
    counts = verdicts(PEOPLE, PEOPLE[:1])["detections"]
    assert (counts.verdict, counts.want, counts.got) == ("DIFFERS", "2", "1")
    assert counts.details == ("wanted only: class 0, score 0.7999, box (60.0, 10.0, 80.0, 50.0)",)


def test_a_box_at_the_threshold_is_found_or_not() -> None:
    weak = found(120, 0.2505, 0.3)
    counts = verdicts([*PEOPLE, weak], PEOPLE)["detections"]
    assert (counts.verdict, counts.near_threshold) == ("OK", 1)


def test_what_an_earlier_stage_said_is_compared_too() -> None:
    """Keypoints that come with the boxes are part of the detector's own proof."""
    classes = (ClassScore(0, "nurse", 0.9), ClassScore(1, "guest", 0.1))
    nose = (KeypointPosition("nose", 1, 2, 1),)
    said = [msgspec.structs.replace(each, classes=classes, keypoints=nose) for each in PEOPLE]
    assert verdicts(said, said)["class"].verdict == "OK"
    assert verdicts(said, PEOPLE)["classes"].verdict == "DIFFERS"
    others = (ClassScore(1, "guest", 0.9), ClassScore(0, "nurse", 0.1))
    other = [msgspec.structs.replace(each, classes=others) for each in said]
    assert verdicts(said, other)["class"].verdict == "DIFFERS"
    assert "keypoint" not in verdicts(said, said)
