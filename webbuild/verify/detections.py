"""Judging lists of detections: matched by class and overlap, then measured; never compared row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import Manifest, OptionInput, PoseTask, RowTask
from webbuild.tasks._base import Match, Tolerance
from webbuild.tasks.detection import Detection, columns
from webbuild.tasks.match import match_rows
from webbuild.verify.compare import Comparison, Stage, Subject

TOLERANCE = Tolerance(score=1e-3, pixels=0.5)
"""Scores and keypoint confidences by 0.001; box corners and keypoints by half a pixel of the model's input."""


class Thresholds(Struct, frozen=True):
    """The thresholds both sides ran with: a detection on the edge of one may be on either side of it."""

    confidence: float = 0.25
    iou: float = 0.7


class Verdicts(Struct, frozen=True):
    """The comparisons of one picture, and what is shown beside them."""

    comparisons: tuple[Comparison, ...]
    min_oks: float | None
    excused: int


def thresholds(manifest: Manifest) -> Thresholds:
    """Return the thresholds at which a bundle's samples are compared."""
    given = {i.option: i.default for i in manifest.inputs if isinstance(i, OptionInput)} | manifest.trial
    return Thresholds(given.get("confidence", 0.25), given.get("iou", 0.7))


def to_rows(task: RowTask, detections: Sequence[Detection]) -> NDArray[np.float64]:
    """Return decoded detections as rows [n, columns], in source pixels; see the task."""
    rows = [
        [d.box.x1, d.box.y1, d.box.x2, d.box.y2, d.score, d.class_index, *_keypoint_columns(task, d)]
        for d in detections
    ]
    return np.array(rows, np.float64).reshape(len(rows), columns(task))


def _keypoint_columns(task: RowTask, detection: Detection) -> list[float]:
    if not isinstance(task, PoseTask):
        return []
    return [value for k in detection.keypoints for value in (k.x, k.y, k.confidence)[: task.keypoint_size]]


def compare_detections(
    task: RowTask,
    subject: Subject,
    want: NDArray[Any],
    got: NDArray[Any],
    at: Thresholds,
    *,
    pixel: float = 1.0,
) -> Verdicts:
    """Judge the rows of one picture: how many, their scores, boxes and, of people, keypoints.

    Nothing on either side is agreement about one picture; `void_silent` sees to it that it is not all there was.

    `pixel` is the size of one pixel of the model's input in the units of the rows.
    """
    allowed = Tolerance(TOLERANCE.score, TOLERANCE.pixels * pixel, TOLERANCE.iou)
    match = match_rows(task, want, got, allowed, confidence=at.confidence, iou=at.iou)
    wanted, found = (int(np.count_nonzero(rows[:, 4] > 0)) for rows in (want, got))
    count = Comparison(
        subject=_about(subject, "detections", ""),
        verdict="DIFFERS" if match.unmatched else "OK",
        tolerance=0,
        max_abs=float(len(match.unmatched)),
        want=str(wanted),
        got=str(found),
        signal=float(wanted),
        why="; ".join(match.unmatched[:3]),
    )
    measured = [
        _measured(_about(subject, "score", ""), match.score, allowed.score, match, wanted),
        _measured(_about(subject, "box", "px"), match.box, allowed.pixels, match, wanted),
    ]
    if isinstance(task, PoseTask):
        measured.append(_measured(_about(subject, "keypoint", "px"), match.keypoint, allowed.pixels, match, wanted))
    return Verdicts((count, *measured), match.min_oks, match.excused)


def void_silent(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Turn a quantity that was compared with nothing on every sample into VACUOUS on all of them."""
    given = list(comparisons)
    heard = {_quantity(c.subject) for c in given if c.signal}
    return [
        c
        if c.verdict != "OK" or _quantity(c.subject) in heard
        else Comparison(
            subject=c.subject,
            verdict="VACUOUS",
            tolerance=c.tolerance,
            max_abs=c.max_abs,
            want=c.want,
            got=c.got,
            why="nothing was found on any sample, so nothing was compared",
        )
        for c in given
    ]


def _measured(subject: Subject, distance: float, allowed: float, match: Match, wanted: int) -> Comparison:
    unmeasured = wanted > 0 and match.pairs == 0 and len(match.unmatched) > 0
    finite = math.isfinite(distance) and not unmeasured
    broken = not finite or distance > allowed
    why = "no pair to measure" if unmeasured else "NaN or infinite rows" if not finite else ""
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if broken else "OK",
        tolerance=allowed,
        max_abs=distance if finite else None,
        signal=float(match.pairs),
        why=why or (f"differs by {distance:.3g}, more than {allowed:.3g}" if broken else ""),
    )


def _about(subject: Subject, quantity: str, unit: str) -> Subject:
    return Subject(subject.runner, subject.sample, subject.stage, quantity, unit)


def _quantity(subject: Subject) -> tuple[str, Stage, str]:
    return subject.runner, subject.stage, subject.output
