"""Comparisons of what a model says of crops: their classes, and their embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.metrics.match_classes import match_classes

Rows = Sequence[tuple[NDArray[Any], NDArray[Any]]]
"""Numbers of each crop, of the reference and of what is compared with it."""


def compare_class_rows(subject: ComparedOutput, rows: Rows, tolerance: Tolerance) -> list[Comparison]:
    """Compare probabilities [classes] crop by crop: the best class, and by a part of its score those of all.

    Crops of which the reference says nothing, all classes having one score, have no signal.
    """
    found = [match_classes(want, got, tolerance.score) for want, got in rows]
    others = [each for each in found if not each.same_class]
    worst = max(found, key=lambda each: each.distance - each.allowed, default=None)
    distance, allowed = (0.0, 0.0) if worst is None else (worst.distance, worst.allowed)
    finite, informative = math.isfinite(distance), sum(each.is_informative for each in found)
    close = all(each.distance <= each.allowed for each in found)
    return [
        Comparison(
            subject=subject.with_quantity("class"),
            verdict="DIFFERS" if others else "OK",
            tolerance=0,
            max_abs=float(len(others)),
            signal=float(informative),
            reason="not-equal" if others else None,
            details=(f"{len(others)} of {len(found)} crops have another best class",) if others else (),
        ),
        Comparison(
            subject=subject.with_quantity("score"),
            verdict="OK" if close else "DIFFERS",
            tolerance=allowed,
            max_abs=distance if finite else None,
            signal=float(informative) if finite else 0.0,
            reason=None if close else "too-far" if finite else "not-finite",
            near_threshold=sum(each.tied for each in found),
        ),
    ]


def compare_embeddings(subject: ComparedOutput, rows: Rows, tolerance: Tolerance) -> Comparison:
    """Compare unit vectors by their cosine distance, 1 - a·b. Vectors of zeros have no signal."""
    apart = np.array([1 - float(want @ got) if want.any() else float(np.abs(got).max()) for want, got in rows])
    finite = bool(np.isfinite(apart).all())
    worst = float(apart.max(initial=0.0)) if finite else None
    close = worst is not None and worst <= tolerance.relative
    return Comparison(
        subject=subject.with_quantity("cosine distance"),
        verdict="OK" if close else "DIFFERS",
        tolerance=tolerance.relative,
        max_abs=worst,
        signal=float(sum(bool(want.any()) for want, _ in rows)),
        reason=None if close else "too-far" if finite else "not-finite",
    )
