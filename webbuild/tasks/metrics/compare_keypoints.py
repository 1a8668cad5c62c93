"""Compare the keypoints of crops: crop by crop, keypoint by keypoint."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.preprocess.crop_box import pixel_size
from webbuild.tasks.decoding.detection import CropKeypoint, Detection, KeypointPosition
from webbuild.tasks.metrics.match_crops import CropPair

Floats = NDArray[np.float64]


def compare_keypoints(subject: ComparedOutput, pairs: Sequence[CropPair], tolerance: Tolerance) -> list[Comparison]:
    """Compare positions in pixels of the crop, and confidences relative to the largest.

    If several cells score nearly the same, rounding decides which is the best. If they are neighbours, the keypoint may
    be at any of them. If one is further away, the keypoint's position is not compared.
    """
    expected, actual = [each.want for each in pairs], [each.got for each in pairs]
    counts = [len(each.keypoints) for each in expected]
    if counts != [len(each.keypoints) for each in actual]:
        return [_other_counts(subject.with_quantity("keypoint", "px"), tolerance, sum(counts))]
    want, got = _table(expected), _table(actual)  # [crops * keypoints, 3]
    sizes = np.array([size for each in pairs for size in _pixel_sizes(each)], np.float64)
    reach = _reach(expected, tolerance)
    doubtful = np.isinf(reach)
    distances = np.where(doubtful, 0, np.hypot(*(want - got)[:, :2].T) / sizes)
    largest = float(np.abs(want[:, 2]).max(initial=0))
    return [
        _distance(
            subject.with_quantity("keypoint", "px"),
            distances,
            tolerance.pixels + np.where(doubtful, 0, reach),
            int((~doubtful).sum()),
            doubtful,
        ),
        _distance(
            subject.with_quantity("score"),
            np.abs(want[:, 2] - got[:, 2]),
            np.full(len(want), tolerance.score * max(1.0, largest)),
            sum(map(bool, counts)),
            doubtful,
        ),
    ]


def _other_counts(subject: ComparedOutput, tolerance: Tolerance, wanted: int) -> Comparison:
    """Return a failed comparison: some crops have different numbers of keypoints."""
    return Comparison(
        subject=subject, verdict="DIFFERS", tolerance=tolerance.pixels, signal=float(wanted), reason="unmatched"
    )


def _table(detections: Sequence[Detection]) -> Floats:
    numbers = [(point.x, point.y, point.confidence) for each in detections for point in each.keypoints]
    return np.array(numbers, np.float64).reshape(-1, 3)


def _reach(expected: Sequence[Detection], tolerance: Tolerance) -> Floats:
    """Return the distance [n], in input pixels, of cells that score nearly as much; infinity beyond neighbours."""
    points = [point for each in expected for point in each.keypoints]
    scale = max((abs(point.confidence) for point in points), default=0.0)
    least = 2 * max(tolerance.relative, tolerance.score) * scale
    return np.array([_rival_distance(point, least) for point in points], np.float64)


def _rival_distance(point: KeypointPosition, least: float) -> float:
    if not isinstance(point, CropKeypoint):
        return 0.0
    cells = next((apart for apart, margin in enumerate(point.margins) if not margin <= least), None)
    return math.inf if cells is None else cells * point.step * math.sqrt(2)  # the diagonal


def _pixel_sizes(pair: CropPair) -> list[float]:
    """Return for each keypoint the size, in picture pixels, of a pixel of the crop that it was found in.

    This is the crop of the stage that found the keypoint, not necessarily of the last stage.
    """
    last = 1.0 if pair.crop is None else pixel_size(pair.crop)
    return [(point.pixel if isinstance(point, CropKeypoint) else 0) or last for point in pair.want.keypoints]


def _distance(
    subject: ComparedOutput, distances: Floats, allowed: Floats, signal: int, doubtful: NDArray[np.bool_]
) -> Comparison:
    """Compare distances with their tolerances; report the one that takes the largest part of its tolerance."""
    finite = bool(np.isfinite(distances).all())
    worst = int((distances / allowed).argmax()) if finite and distances.size else None
    wrong = not finite or (worst is not None and bool(distances[worst] > allowed[worst]))
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if wrong else "OK",
        tolerance=0.0 if worst is None else float(allowed[worst]),
        max_abs=0.0 if finite and worst is None else None if worst is None else float(distances[worst]),
        signal=float(signal),
        reason=("too-far" if finite else "not-finite") if wrong else None,
        rms=float(np.sqrt((distances**2).mean())) if finite and distances.size else None,
        near_threshold=int(doubtful.sum()),
    )
