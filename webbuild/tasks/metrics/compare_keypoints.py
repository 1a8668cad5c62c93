"""Comparisons of the keypoints of crops: crop by crop, keypoint by keypoint."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.detection import CropKeypoint, Detection
from webbuild.tasks.metrics.compare_crops import compare_crop_counts
from webbuild.tasks.run_context import RunContext

Floats = NDArray[np.float64]


def compare_keypoints(
    subject: ComparedOutput,
    expected: Sequence[Detection],
    actual: Sequence[Detection],
    context: RunContext,
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare places in pixels of the crop, and confidences as parts of the largest.

    The place of a keypoint that another place scores as much for is decided by rounding, and not compared.
    """
    sides = [[len(each.keypoints) for each in found] for found in (expected, actual)]
    if sides[0] != sides[1]:
        return [compare_crop_counts(subject, len(expected), len(actual))]
    want, got = _table(expected), _table(actual)  # [crops * keypoints, 3]
    sizes = np.repeat([_pixel_size(context, index) for index in range(len(expected))], sides[0])
    doubtful = _doubtful(expected, tolerance)
    apart = np.where(doubtful, 0, np.hypot(*(want - got)[:, :2].T) / sizes)
    largest = float(np.abs(want[:, 2]).max(initial=0))
    return [
        compare_crop_counts(subject, len(expected), len(actual)),
        _distance(subject.with_quantity("keypoint", "px"), apart, tolerance.pixels, int((~doubtful).sum()), doubtful),
        _distance(
            subject.with_quantity("score"),
            np.abs(want[:, 2] - got[:, 2]),
            tolerance.score * max(1.0, largest),
            len(want),
            doubtful,
        ),
    ]


def _table(found: Sequence[Detection]) -> Floats:
    numbers = [(point.x, point.y, point.confidence) for each in found for point in each.keypoints]
    return np.array(numbers, np.float64).reshape(-1, 3)


def _doubtful(expected: Sequence[Detection], tolerance: Tolerance) -> NDArray[np.bool_]:
    points = [point for each in expected for point in each.keypoints]
    scale = max((abs(point.confidence) for point in points), default=0.0)
    least = 2 * max(tolerance.relative, tolerance.score) * scale
    return np.array([isinstance(point, CropKeypoint) and point.margin <= least for point in points], bool)


def _pixel_size(context: RunContext, index: int) -> float:
    """Return how many pixels of the picture one of a crop is."""
    crops = () if context.placement is None else context.placement.crops
    if index >= len(crops):
        return 1.0
    to_picture = crops[index].to_picture
    return math.hypot(to_picture.xx, to_picture.yx) or 1.0


def _distance(
    subject: ComparedOutput, apart: Floats, allowed: float, signal: int, doubtful: NDArray[np.bool_]
) -> Comparison:
    finite = bool(np.isfinite(apart).all())
    worst = float(apart.max(initial=0)) if finite else None
    wrong = worst is None or worst > allowed
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if wrong else "OK",
        tolerance=allowed,
        max_abs=worst,
        signal=float(signal),
        reason=("too-far" if finite else "not-finite") if wrong else None,
        rms=float(np.sqrt((apart**2).mean())) if finite and apart.size else None,
        near_threshold=int(doubtful.sum()),
    )
