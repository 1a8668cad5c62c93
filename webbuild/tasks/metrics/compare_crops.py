"""Compare the attributes that stages add to crops: keypoints, classes and embeddings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.crop_detection import CROP_ATTRIBUTES, CropDetection
from webbuild.tasks.decoding.detection import CropKeypoint
from webbuild.tasks.metrics.compare_keypoints import compare_keypoints
from webbuild.tasks.metrics.match_classes import match_classes
from webbuild.tasks.metrics.match_crops import CropPair

Rows = Sequence[tuple[NDArray[Any], NDArray[Any]]]
"""Values of each crop: the reference's and the candidate's."""


def compare_crop_attributes(
    own: str, subject: ComparedOutput, pairs: Sequence[CropPair], tolerance: Tolerance
) -> list[Comparison]:
    """Compare the attributes of the same crops in two results: the `own` field of the last stage, and earlier fields.

    Comparisons of earlier fields have the field's name as output. Keypoints that come with the boxes are skipped here:
    the detector's own comparison includes them.
    """
    others = [
        name
        for name in CROP_ATTRIBUTES
        if name != own and any(_has_attribute(each.want, name) or _has_attribute(each.got, name) for each in pairs)
    ]
    comparisons = _compare_field(own, subject, pairs, tolerance)
    for name in others:
        comparisons += _compare_field(name, msgspec.structs.replace(subject, output=name), pairs, tolerance)
    return comparisons


def _has_attribute(one: CropDetection, name: str) -> bool:
    if name == "keypoints":
        return any(isinstance(each, CropKeypoint) for each in one.keypoints)
    return bool(getattr(one, name))


def _compare_field(
    name: str, subject: ComparedOutput, pairs: Sequence[CropPair], tolerance: Tolerance
) -> list[Comparison]:
    if name == "keypoints":
        return compare_keypoints(subject, pairs, tolerance)
    counts = [[len(getattr(side, name)) for side in (each.want, each.got)] for each in pairs]
    if any(want != got for want, got in counts):
        return [_unmatched(subject.with_quantity(name), len(pairs))]
    if name == "classes":
        return compare_class_rows(subject, [_common_scores(each.want, each.got) for each in pairs], tolerance)
    rows = [(np.array(each.want.embedding), np.array(each.got.embedding)) for each in pairs]
    return [compare_embeddings(subject, rows, tolerance)]


def _unmatched(subject: ComparedOutput, crops: int) -> Comparison:
    """Return a failed comparison: an attribute is missing on one side, or has another length."""
    return Comparison(subject=subject, verdict="DIFFERS", tolerance=0, signal=float(crops), reason="unmatched")


def _common_scores(want: CropDetection, got: CropDetection) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores [n] of all classes listed on either side; a class missing on a side gets its lowest score."""
    sides = [{each.class_index: each.score for each in side.classes} for side in (want, got)]
    named = sorted(set().union(*sides))
    rows = [[side.get(index, min(side.values())) for index in named] for side in sides]
    return np.array(rows[0]), np.array(rows[1])


def compare_class_rows(subject: ComparedOutput, rows: Rows, tolerance: Tolerance) -> list[Comparison]:
    """Compare probabilities [classes] crop by crop: the best class, and all scores relative to the best score.

    A crop has no signal if all classes have the same score in the reference.
    """
    matches = [match_classes(want, got, tolerance.score) for want, got in rows]
    others = [each for each in matches if not each.same_class]
    worst = max(matches, key=lambda each: each.distance - each.allowed, default=None)
    distance, allowed = (0.0, 0.0) if worst is None else (worst.distance, worst.allowed)
    finite, informative = math.isfinite(distance), sum(each.is_informative for each in matches)
    close = all(each.distance <= each.allowed for each in matches)
    return [
        Comparison(
            subject=subject.with_quantity("class"),
            verdict="DIFFERS" if others else "OK",
            tolerance=0,
            max_abs=float(len(others)),
            signal=float(informative),
            reason="not-equal" if others else None,
            details=(f"{len(others)} of {len(matches)} crops have another best class",) if others else (),
        ),
        Comparison(
            subject=subject.with_quantity("score"),
            verdict="OK" if close else "DIFFERS",
            tolerance=allowed,
            max_abs=distance if finite else None,
            signal=float(informative) if finite else 0.0,
            reason=None if close else "too-far" if finite else "not-finite",
            near_threshold=sum(each.tied for each in matches),
        ),
    ]


def compare_embeddings(subject: ComparedOutput, rows: Rows, tolerance: Tolerance) -> Comparison:
    """Compare unit vectors by their cosine distance, 1 - a·b. Vectors of zeros have no signal."""
    distances = np.array([1 - float(want @ got) if want.any() else float(np.abs(got).max()) for want, got in rows])
    finite = bool(np.isfinite(distances).all())
    worst = float(distances.max(initial=0.0)) if finite else None
    close = worst is not None and worst <= tolerance.cosine
    return Comparison(
        subject=subject.with_quantity("cosine distance"),
        verdict="OK" if close else "DIFFERS",
        tolerance=tolerance.cosine,
        max_abs=worst,
        signal=float(sum(bool(want.any()) for want, _ in rows)),
        reason=None if close else "too-far" if finite else "not-finite",
    )
