"""Match two grounding results: paired by phrase and overlap, with the same words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.detection import Detection, GroundedDetection
from webbuild.tasks.metrics.assignment import assign_pairs
from webbuild.tasks.metrics.detection_arrays import DetectionArrays
from webbuild.tasks.metrics.match_detections import DetectionMatch, match_detections


def match_grounding(
    want: Sequence[Detection], got: Sequence[Detection], tolerance: Tolerance, confidence: float, text: float
) -> DetectionMatch:
    """Pair two lists and measure the pairs; the words of a pair have to be the same.

    Different words are excused only if a token's score in the reference is within tolerance of the text threshold
    `text`: rounding may then move it across the threshold on one side.
    """
    left, right = _to_detection_arrays(want), _to_detection_arrays(got)
    match = match_detections(left, right, tolerance, confidence=confidence, iou=_NO_IOU_THRESHOLD)
    if not (left.finite and right.finite):
        return match
    words, excused = [], 0
    for i, j in assign_pairs(left, right).items():
        if want[i].label == got[j].label:
            continue
        wanted = want[i]
        if isinstance(wanted, GroundedDetection) and wanted.margin <= tolerance.score:
            excused += 1
        else:
            words.append(f"detection {i}: wanted {wanted.label!r}, got {got[j].label!r} at threshold {text:g}")
    problems = {**match.problems, **({"words": "; ".join(words[:3])} if words else {})}
    return msgspec.structs.replace(match, near_threshold=match.near_threshold + excused, problems=problems)


_NO_IOU_THRESHOLD = 2.0
"""An IoU that no two boxes reach: the task has no NMS."""


def _to_detection_arrays(detections: Sequence[Detection]) -> DetectionArrays:
    boxes = np.array([(d.box.x1, d.box.y1, d.box.x2, d.box.y2) for d in detections], np.float64).reshape(-1, 4)
    scores = np.array([d.score for d in detections], np.float64)
    classes = np.array([d.class_index for d in detections], np.float64)
    finite = bool(np.isfinite(boxes).all() and np.isfinite(scores).all())
    return DetectionArrays(
        scores, classes, boxes, None, np.zeros((len(detections), 0, 2)), (), len(detections) + 1, finite
    )
