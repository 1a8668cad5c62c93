"""Compare text boxes: paired by overlap, then measured by their polygons' IoU and their scores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.detection import TextBox
from webbuild.tasks.metrics.compare_detections import compare_counts, compare_quantity
from webbuild.tasks.metrics.detection_arrays import DetectionArrays, from_boxes
from webbuild.tasks.metrics.match_detections import match_detections
from webbuild.tasks.metrics.polygon_iou import polygon_area, polygon_iou

_NO_IOU_THRESHOLD = 2.0
"""An IoU that no two boxes reach: the task has no NMS."""
_SAME_CELLS = 0.999
"""IoU above which two polygons cover the same cells, so that their scores must match."""


def compare_text_boxes(
    subject: ComparedOutput,
    expected: Sequence[TextBox],
    actual: Sequence[TextBox],
    confidence: float,
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the text boxes of one picture: their number, polygons and scores.

    A cell with a probability near the threshold may be set on one side only, and move the outline. So a box may be
    larger by one cell all around, and its score may differ by the same share.
    """
    capacity = max(len(expected), len(actual)) + 1  # never full, so that no box is excused by its rank
    want, got = (_to_arrays(side, capacity) for side in (expected, actual))
    by_polygon = msgspec.structs.replace(tolerance, pixels=np.inf)
    match = match_detections(want, got, by_polygon, confidence=confidence, iou=_NO_IOU_THRESHOLD)
    pairs = [(expected[i], actual[j]) for i, j in match.partners.items()]
    overlaps = np.array([polygon_iou(one.polygon, other.polygon) for one, other in pairs])
    cells = np.array([_cell_share(one) for one, _ in pairs])
    scores = np.array([abs(one.score - other.score) for one, other in pairs])
    distances = np.maximum(1 - overlaps - cells, 0)
    uneven = np.maximum(scores - np.where(overlaps < _SAME_CELLS, cells, 0), 0)
    broken = np.inf if "finite" in match.problems else 0.0
    problems = dict(match.problems)
    if distances.max(initial=0) > tolerance.mask:
        at = int(distances.argmax())
        problems["polygon"] = (
            f"detection {at}: an IoU of {overlaps[at]:.3f}: wanted {pairs[at][0].polygon}, got {pairs[at][1].polygon}"
        )
    rms = float(np.sqrt((distances**2).mean())) if pairs else 0.0
    match = msgspec.structs.replace(match, problems=problems, rms={**match.rms, "polygon": rms})
    least = float(overlaps.min()) if overlaps.size else None
    return [
        compare_counts(subject.with_quantity("detections"), match, len(expected), len(actual)),
        compare_quantity(
            subject.with_quantity("score"), float(uneven.max(initial=broken)), tolerance.score, match, len(expected)
        ),
        compare_quantity(
            subject.with_quantity("polygon"),
            float(distances.max(initial=broken)),
            tolerance.mask,
            match,
            len(expected),
            least,
        ),
    ]


def _to_arrays(boxes: Sequence[TextBox], capacity: int) -> DetectionArrays:
    corners = np.array([each.polygon for each in boxes], np.float64).reshape(len(boxes), 4, 2)
    arrays = from_boxes(boxes, capacity)
    return msgspec.structs.replace(arrays, corners=corners, finite=arrays.finite and bool(np.isfinite(corners).all()))


def _cell_share(one: TextBox) -> float:
    """Return the share of a box enlarged by one cell all around that is outside the box."""
    first, second = (float(np.hypot(*np.subtract(one.polygon[at], one.polygon[at - 1]))) for at in (1, 2))
    area, larger = polygon_area(one.polygon), (first + 2 * one.cell) * (second + 2 * one.cell)
    return 1 - area / larger if larger > area else 0.0
