"""Compare segmentations: their regions, scores, masks, and the panoptic quality."""

from __future__ import annotations

import math

import numpy as np

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.regions import Segmentation
from webbuild.tasks.metrics.match_regions import RegionMatch, match_regions


def compare_regions(
    subject: ComparedOutput,
    want: Segmentation,
    got: Segmentation | None,
    threshold: float,
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare two segmentations of one picture; regions near the score `threshold` may be on one side only.

    No regions on either side is a match for one picture; `mark_vacuous` fails if it is so for all.
    """
    other = got if got is not None else Segmentation(np.zeros((0, 0), np.uint16), ())
    match = match_regions(want, other, tolerance, threshold)
    broken = not math.isfinite(match.mask)
    count = Comparison(
        subject=subject.with_quantity("regions"),
        verdict="DIFFERS" if match.unmatched or broken else "OK",
        tolerance=0,
        max_abs=float(len(match.unmatched)),
        want=str(len(want.regions)),
        got=str(len(other.regions)),
        signal=float(len(want.regions)),
        reason="malformed" if broken else "unmatched" if match.unmatched else None,
        details=(match.problems["map"],) if broken else match.unmatched[:3],
        rms=float(len(match.unmatched)),
        near_threshold=match.near_threshold,
    )
    measured = (
        ("score", match.score, tolerance.score),
        ("mask", match.mask, tolerance.region),
        ("quality", 1 - match.panoptic_quality, tolerance.region),
    )
    quantities = [
        _compare_quantity(subject.with_quantity(name), distance, allowed, match)
        for name, distance, allowed in measured
        if name != "score" or any(region.score is not None for region in want.regions)
    ]
    return [count, *quantities]


def _compare_quantity(subject: ComparedOutput, distance: float, allowed: float, match: RegionMatch) -> Comparison:
    finite = math.isfinite(distance)
    unmatched = match.unmatched or not math.isfinite(match.mask)
    excused = subject.quantity == "quality" and not unmatched  # regions near the threshold lower the quality too
    differs = not finite or (distance > allowed and not excused)
    worst = match.problems.get(subject.quantity)
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if differs else "OK",
        tolerance=allowed,
        max_abs=distance if finite else None,
        signal=float(match.pairs),
        reason=None if not differs else "too-far" if finite else "not-finite",
        details=(worst,) if differs and worst else (),
        rms=match.rms.get(subject.quantity, distance) if finite else None,
        similarity=match.min_mask_iou if subject.quantity == "mask" else None,
    )
