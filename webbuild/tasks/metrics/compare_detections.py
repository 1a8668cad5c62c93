"""Compare detections: matched by class and overlap, then measured; never compared row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.metrics.detection_arrays import DetectionArrays
from webbuild.tasks.metrics.match_detections import DetectionMatch, match_detections
from webbuild.tasks.run_context import RunContext

DEFAULT_THRESHOLDS = {"confidence": 0.25, "iou": 0.7}
"""Ultralytics' thresholds, for a graph that contains its thresholds."""


def in_source_pixels(tolerance: Tolerance, context: RunContext) -> Tolerance:
    """Return a tolerance in source pixels: one input pixel may cover several of them."""
    placement = context.placement
    pixel = 1.0 if placement is None else max(1.0, placement.source_width / placement.width)
    return msgspec.structs.replace(tolerance, pixels=tolerance.pixels * pixel)


def compare_detections(
    subject: ComparedOutput,
    expected: DetectionArrays,
    actual: DetectionArrays,
    thresholds: Mapping[str, float],
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the objects of one picture: their number, scores, boxes, and keypoints and masks if there are any.

    No objects on either side is a match for one picture; `mark_vacuous` fails if it is so for all.
    """
    at = {**DEFAULT_THRESHOLDS, **thresholds}
    match = match_detections(expected, actual, tolerance, confidence=at["confidence"], iou=at["iou"])
    quantities = [("score", "", match.score, tolerance.score), ("box", "px", match.box, tolerance.pixels)]
    if expected.keypoints.shape[1]:
        quantities.append(("keypoint", "px", match.keypoint, tolerance.pixels))
    if expected.masks or actual.masks:
        quantities.append(("mask", "", match.mask, tolerance.mask))
    similarity = {"keypoint": match.min_oks, "mask": match.min_mask_iou}
    return [
        compare_counts(subject.with_quantity("detections"), match, len(expected), len(actual)),
        *(
            compare_quantity(
                subject.with_quantity(name, unit), distance, limit, match, len(expected), similarity.get(name)
            )
            for name, unit, distance, limit in quantities
        ),
    ]


def compare_counts(
    subject: ComparedOutput, match: DetectionMatch, expected: int, actual: int, other: tuple[str, ...] = ()
) -> Comparison:
    """Compare the number of objects; `other` problems count as objects without a partner."""
    wrong = (*match.unmatched, *other)
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if wrong else "OK",
        tolerance=0,
        max_abs=float(len(wrong)),
        want=str(expected),
        got=str(actual),
        signal=float(expected),
        reason="unmatched" if wrong else None,
        details=wrong[:3],
        rms=float(len(wrong)),
        near_threshold=match.near_threshold,
    )


def compare_quantity(
    subject: ComparedOutput,
    distance: float,
    allowed: float,
    match: DetectionMatch,
    expected: int,
    similarity: float | None = None,
) -> Comparison:
    """Compare the largest distance of a quantity over the pairs; the reference has `expected` objects."""
    unmeasured = expected > 0 and match.pairs == 0 and len(match.unmatched) > 0
    finite = math.isfinite(distance) and not unmeasured
    broken = not finite or distance > allowed
    reason: Mismatch = "no-pairs" if unmeasured else "too-far" if finite else "not-finite"
    worst = match.problems.get("finite") or match.problems.get(subject.quantity)
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if broken else "OK",
        tolerance=allowed,
        max_abs=distance if finite else None,
        signal=float(match.masks if subject.quantity == "mask" else match.pairs),
        reason=reason if broken else None,
        details=(worst,) if broken and worst else (),
        rms=match.rms.get(subject.quantity) if finite else None,
        similarity=similarity,
    )


def detection_tolerance_text(tolerance: Tolerance, *, masks: bool = False) -> str:
    """Return the tolerance of detections in words."""
    parts = [f"score {tolerance.score:g}", f"boxes and keypoints {tolerance.pixels:g} px of the model's input"]
    if masks:
        parts.append(f"masks one cell and {tolerance.mask * 100:g} % of their union")
    return f"detections are matched by overlap, never by rank: {', '.join(parts)}"
