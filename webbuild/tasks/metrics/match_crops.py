"""Match of two answers to the crops of a picture: crops of one box are a pair, wherever they come in the order."""

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
    """What two answers say of a crop, and where it lies; `crop` is None where that is not known."""

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
    """Pair crops by their boxes, and compare how many have no partner.

    Boxes whose scores are nearly equal change places; one whose score is nearly the threshold is found or not.
    """
    at = {**DEFAULT_THRESHOLDS, **context.thresholds}
    capacity = max(len(expected), len(actual)) + 1  # ranks decide about none
    want, got = (from_boxes(side, capacity) for side in (expected, actual))
    match = match_detections(want, got, tolerance, confidence=at["confidence"], iou=at["iou"])
    crops = () if context.placement is None else context.placement.crops
    pairs = [CropPair(expected[i], actual[j], crops[i] if i < len(crops) else None) for i, j in match.partners.items()]
    return compare_counts(subject.with_quantity("detections"), match, len(expected), len(actual)), pairs
