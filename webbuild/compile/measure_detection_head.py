"""Decoding of a detection head, measured on two photographs: logits or scores, offsets or boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compile.preprocessing_trials import sample_answers
from webbuild.manifest.manifest import ImageInput
from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.reference_anchors import Arrays, anchor_boxes, decode_anchor_objectness, join_columns
from webbuild.postprocess.yolo import YoloPostprocess
from webbuild.runners.native import NativeRunner
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.grid_detectors import undecoded_grids
from webbuild.tasks.recognition.yolo import DECODED_NOTE, OFFSETS_NOTE, named_classes
from webbuild.tasks.task_match import TaskMatch

_MIN_SHARE = 0.9
"""Fraction of boxes or rows that must satisfy a condition."""
_MIN_DECODED_CORRELATION = 0.8
"""Least correlation of box centres with anchor centres if boxes are decoded."""
_MAX_OFFSET_CORRELATION = 0.5
"""Largest correlation of box values with anchor centres if boxes are offsets."""
_MIN_CENTRE_SPREAD = 0.1
"""Least standard deviation of decoded centres, as a fraction of the input."""
_SLACK = 1e-3
_MIN_KEYPOINT_COLUMNS = 4
"""Least columns of keypoints: x and y of two keypoints."""
_MAX_EMPTY_OBJECTNESS = 0.3
"""Largest median objectness of a grid: most cells are empty."""
_FIRST_SIGMOID_COLUMN = {"yolov5": 0, "fastestdet": 2}
"""First of the four box columns that go through a sigmoid, by coding."""


def with_measured_head(match: TaskMatch, original: NativeRunner) -> TaskMatch | None:
    """Return the match with the measured decoding of the head; None if the outputs are not scores and boxes.

    - Guessed YOLO rows need scores in 0..1, and box centres spread over the input.
    - YOLO offsets in cells are all in 0..1, and uncorrelated with the grid; the published anchors decode them.
    - In other detectors, scores outside of 0..1 are logits. Boxes with x1 <= x2 and y1 <= y2 around their anchors are
      already decoded, as fractions of the input or in pixels.
    - In grids of cells, most cells must be empty.
    """
    spec = match.postprocess
    is_mask = isinstance(spec, ClassMapsPostprocess) and spec.classes == 2 and not spec.labels
    grids = undecoded_grids(spec) if isinstance(spec, YoloPostprocess) else None
    is_yolo = isinstance(spec, YoloPostprocess) and (match.guessed or grids is not None)
    if not (is_mask or is_yolo or isinstance(spec, AnchorPostprocess)):
        return match
    image = next(spec for spec in match.inputs if isinstance(spec, ImageInput))
    answers = sample_answers(image, original)
    if grids is not None and all(_are_offsets(grids, each) for each in answers):
        assumptions = (match.assumptions[0].replace(DECODED_NOTE, OFFSETS_NOTE), *match.assumptions[1:])
        return _with_anchors(msgspec.structs.replace(match, assumptions=assumptions), grids, answers)
    if isinstance(spec, YoloPostprocess):
        if not match.guessed:
            return match
        match, spec = _without_keypoints(match, spec, answers)
        return match if all(_are_yolo_rows(each[spec.output], spec) for each in answers) else None
    if isinstance(spec, ClassMapsPostprocess):
        return _with_threshold(match, spec, answers)
    assert isinstance(spec, AnchorPostprocess)
    return _with_anchors(match, spec, answers)


def _with_threshold(match: TaskMatch, spec: ClassMapsPostprocess, answers: Sequence[Arrays]) -> TaskMatch:
    """Return the match of a mask with its threshold: 0.5 for probabilities in 0..1, 0 for logits."""
    maps = np.stack([each[spec.output] for each in answers])
    logits = _are_logits(maps)
    spec = msgspec.structs.replace(spec, threshold=0.0 if logits else 0.5)
    assumption = (
        f"a pixel is in the mask above {spec.threshold:g}: its numbers are {'logits' if logits else 'probabilities'}"
    )
    return msgspec.structs.replace(match, postprocess=spec, assumptions=(*match.assumptions, assumption))


def _are_logits(numbers: NDArray[Any]) -> bool:
    """Whether values are logits: some are outside of 0..1."""
    return bool(numbers.min() < -_SLACK or numbers.max() > 1 + _SLACK)


def _are_cells(spec: AnchorPostprocess, scores: NDArray[Any], answers: Sequence[Arrays]) -> bool:
    """Whether most cells are empty, and class scores sum to 1 if classes are exclusive."""
    objectness = np.concatenate([decode_anchor_objectness(spec, each) for each in answers])
    empty = bool(objectness.min() >= 0 and objectness.max() <= 1 and np.median(objectness) < _MAX_EMPTY_OBJECTNESS)
    return empty and (not spec.exclusive or bool(np.mean(np.abs(scores.sum(1) - 1) < 0.01) > _MIN_SHARE))


def _without_keypoints(
    match: TaskMatch, spec: YoloPostprocess, answers: Sequence[Arrays]
) -> tuple[TaskMatch, YoloPostprocess]:
    """Return the match and spec of YOLOv5-face rows without the keypoints between objectness and class scores.

    Keypoints are an even number of columns outside of 0..1: (x, y) in pixels.
    """
    if spec.layout != "rows" or spec.strides:
        return match, spec
    table = np.concatenate([each[spec.output][0] for each in answers])[:, 5:]
    beyond = np.flatnonzero((table < -_SLACK).any(0) | (table > 1 + _SLACK).any(0)) + 1
    count = int(beyond.max(initial=0))
    if count < _MIN_KEYPOINT_COLUMNS or count % 2 or len(beyond) != count or count >= spec.classes:
        return match, spec
    _, before = named_classes([], spec.classes)
    spec = msgspec.structs.replace(spec, skipped_columns=count, classes=spec.classes - count)
    classes, named = named_classes([], spec.classes)
    assumption = (
        f"{count_classes(spec.classes)}: the {count} numbers before are {count // 2} keypoints, left out; {named}"
    )
    assumptions = tuple(assumption if each == before else each for each in match.assumptions)
    task = msgspec.structs.replace(match.task, classes=classes)
    return msgspec.structs.replace(match, task=task, postprocess=spec, assumptions=assumptions), spec


def _are_offsets(spec: AnchorPostprocess, answer: Arrays) -> bool:
    """Whether boxes are four values in 0..1, with the first two uncorrelated with anchor centres."""
    boxes, anchors = join_columns(spec.boxes, answer), anchor_boxes(spec)[0]
    if len(boxes) != len(anchors) or _are_logits(boxes) or not (boxes.std(0) > 0).all():
        return False
    return all(
        bool(abs(np.corrcoef(anchors[:, axis], boxes[:, axis])[0, 1]) < _MAX_OFFSET_CORRELATION) for axis in (0, 1)
    )


def _are_yolo_rows(output: NDArray[Any], spec: YoloPostprocess) -> bool:
    """Whether scores are in 0..1, and decoded centres are in or near the input."""
    table = output[0].T if spec.layout == "columns" else output[0]
    scores, centres = np.delete(table, np.r_[:4, 5 : 5 + spec.skipped_columns], axis=1), table[:, :2] / spec.size[::-1]
    near = bool(np.mean((centres > -0.5) & (centres < 1.5)) > _MIN_SHARE) and bool(
        centres.std(0).min() > _MIN_CENTRE_SPREAD
    )
    return bool(scores.min() >= -_SLACK and scores.max() <= 1 + _SLACK) and (bool(spec.strides) or near)


def _with_anchors(match: TaskMatch, spec: AnchorPostprocess, answers: Sequence[Arrays]) -> TaskMatch | None:
    """Return the match of an anchor detector with its measured decoding; None if outputs are not scores and boxes."""
    scores = np.concatenate([join_columns(spec.scores, each) for each in answers])
    boxes = [join_columns(spec.boxes, each) for each in answers]
    spec, assumption = _with_activation(spec, scores)
    if spec.coding in _FIRST_SIGMOID_COLUMN:
        shares = np.concatenate(boxes)
        spec = msgspec.structs.replace(spec, sigmoid_boxes=_are_logits(shares[:, _FIRST_SIGMOID_COLUMN[spec.coding] :]))
        if match.guessed and not _are_cells(spec, scores, answers):
            return None
    if spec.coding == "corners" or spec.decodable:
        corners = np.concatenate(boxes)
        if all(_are_corners(each, spec) for each in boxes):
            parts = float(np.quantile(corners.max(1), _MIN_SHARE)) <= 2
            spec = msgspec.structs.replace(spec, coding="corners", levels=(), parts=parts)
            assumption = (
                *assumption,
                f"boxes are corners in {'fractions of the input' if parts else 'pixels'}, judged by their values",
            )
        elif spec.coding == "corners":
            return None
    classes = getattr(match.task, "classes", [])
    task = match.task
    if spec.background and len(classes) > spec.classes:
        task = msgspec.structs.replace(task, classes=classes[1:])
    return msgspec.structs.replace(match, task=task, postprocess=spec, assumptions=(*match.assumptions, *assumption))


def _with_activation(spec: AnchorPostprocess, scores: NDArray[Any]) -> tuple[AnchorPostprocess, tuple[str, ...]]:
    """Return the spec with the activation of its scores and whether the first class is background, and assumptions."""
    logits = _are_logits(scores)
    columns = scores.shape[1]
    sums = bool(np.mean(np.abs(scores.sum(1) - 1) < 0.01) > _MIN_SHARE)
    nothing = columns > 1 and bool(np.mean(scores.argmax(1) == 0) > _MIN_SHARE)
    if not spec.levels and nothing and (sums or logits):
        spec = msgspec.structs.replace(spec, background=True, classes=columns - 1)
    if not logits:
        return spec, ()
    activation = "softmax" if spec.background else "sigmoid"
    return msgspec.structs.replace(spec, activation=activation), (f"scores are logits, through a {activation}",)


def _are_corners(boxes: NDArray[Any], spec: AnchorPostprocess) -> bool:
    ordered = (boxes[:, 2] >= boxes[:, 0]) & (boxes[:, 3] >= boxes[:, 1])
    if ordered.mean() < _MIN_SHARE or (boxes == boxes[0]).all():
        return False
    if not spec.levels:
        return bool(np.abs(boxes).max() <= 4 * max(spec.size))
    anchors = anchor_boxes(spec)[0]
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    return all(
        bool(np.corrcoef(anchors[:, axis], centres[:, axis])[0, 1] > _MIN_DECODED_CORRELATION) for axis in (0, 1)
    )
