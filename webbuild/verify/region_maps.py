"""Judging divisions of a picture into regions: which there are, their scores, their masks, and the panoptic quality."""

from __future__ import annotations

import math

import numpy as np

from webbuild.manifest import PanopticTask
from webbuild.tasks._base import Tolerance
from webbuild.tasks.match_regions import RegionMatch, match_regions
from webbuild.tasks.regions import Regions
from webbuild.verify.compare import Comparison, Subject
from webbuild.verify.detections import TOLERANCE


def compare_regions(
    task: PanopticTask, subject: Subject, want: Regions, got: Regions | None, tolerance: Tolerance = TOLERANCE
) -> tuple[tuple[Comparison, ...], RegionMatch]:
    """Judge what a visitor gets, and return the match too.

    Nothing on either side is agreement about one picture; `void_silent` sees to it that it is not all there was.
    """
    other = got if got is not None else Regions(np.zeros((0, 0), np.uint16), ())
    match = match_regions(want, other, tolerance, task.threshold)
    broken = "" if math.isfinite(match.mask) else match.problems[0]
    count = Comparison(
        subject=subject.about("regions"),
        verdict="DIFFERS" if match.unmatched or broken else "OK",
        tolerance=0,
        max_abs=float(len(match.unmatched)),
        want=str(len(want.regions)),
        got=str(len(other.regions)),
        signal=float(len(want.regions)),
        why=broken or "; ".join(match.unmatched[:3]),
        rms=float(len(match.unmatched)),
    )
    measured = (
        ("score", match.score, tolerance.score),
        ("mask", match.mask, tolerance.region),
        ("quality", 1 - match.quality, tolerance.region),
    )
    quantities = [
        _measured(subject.about(name), distance, allowed, match)
        for name, distance, allowed in measured
        if name != "score" or any(region.score is not None for region in want.regions)
    ]
    return (count, *quantities), match


def _measured(subject: Subject, distance: float, allowed: float, match: RegionMatch) -> Comparison:
    finite = math.isfinite(distance)
    lonely = match.unmatched or not math.isfinite(match.mask)
    excused = subject.output == "quality" and not lonely  # what lies at the threshold counts there too
    differs = not finite or (distance > allowed and not excused)
    why = f"differs by {distance:.3g}, more than {allowed:.3g}" if finite else "not finite on both sides"
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if differs else "OK",
        tolerance=allowed,
        max_abs=distance if finite else None,
        signal=float(match.pairs),
        why=why if differs else "",
        rms=match.rms.get(subject.output, distance) if finite else None,
    )
