"""Match the crops of two results: crops of the same box are a pair, whatever their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.preprocess.crop_box import Crop
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.metrics.compare_detections import DEFAULT_THRESHOLDS, compare_counts
from webbuild.tasks.metrics.detection_arrays import from_boxes
from webbuild.tasks.metrics.match_detections import match_detections
from webbuild.tasks.run_context import RunContext


class CropPair(Struct, frozen=True):
    """The two results for a crop, and the crop; `crop` is None if it is unknown."""

    want: Any
    got: Any
    crop: Crop | None


def match_crops(
    subject: ComparedOutput,
    expected: Sequence[Detection],
    actual: Sequence[Detection],
    context: RunContext,
    tolerance: Tolerance,
) -> tuple[Comparison, list[CropPair]]:
    """Pair crops by their boxes, and count the crops without a partner.

    Boxes with nearly equal scores may swap places. A box with a score near the threshold may be on one side only.
    """
    at = {**DEFAULT_THRESHOLDS, **context.thresholds}
    capacity = max(len(expected), len(actual)) + 1  # never full, so that no box is excused by its rank
    want, got = (from_boxes(side, capacity) for side in (expected, actual))
    match = match_detections(want, got, tolerance, confidence=at["confidence"], iou=at["iou"])
    crops = () if context.placement is None else context.placement.crops
    pairs = [CropPair(expected[i], actual[j], crops[i] if i < len(crops) else None) for i, j in match.partners.items()]
    return compare_counts(subject.with_quantity("detections"), match, len(expected), len(actual)), pairs
