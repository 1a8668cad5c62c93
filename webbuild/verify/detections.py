"""Judging lists of detections: matched by class and overlap, then measured; never compared row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from webbuild.manifest import Graph, Manifest, OptionInput, PoseTask, RowTask
from webbuild.tasks._base import REDUCED, Match, Tolerance
from webbuild.tasks.match import match
from webbuild.tasks.objects import Objects
from webbuild.verify.compare import Comparison, Stage, Subject

TOLERANCE = Tolerance(score=1e-3, pixels=0.5)
"""Scores and keypoint confidences by 0.001; box corners and keypoints by half a pixel of the model's input; masks by
one cell and 2 % of what either side covers."""


def tolerance(graph: Graph | None) -> Tolerance:
    """Return how far a graph's answers in a browser may lie from the reference's: in reduced precision, as proven."""
    return TOLERANCE if graph is None or graph.precision == "fp32" else REDUCED


class Thresholds(Struct, frozen=True):
    """The thresholds both sides ran with: a detection on the edge of one may be on either side of it."""

    confidence: float = 0.25
    iou: float = 0.7


class Verdicts(Struct, frozen=True):
    """The comparisons of one picture, and what is shown beside them."""

    comparisons: tuple[Comparison, ...]
    min_oks: float | None
    min_mask_iou: float | None
    excused: int


def thresholds(manifest: Manifest) -> Thresholds:
    """Return the thresholds at which a bundle's samples are compared."""
    given = {i.option: i.default for i in manifest.inputs if isinstance(i, OptionInput)} | manifest.trial
    return Thresholds(given.get("confidence", 0.25), given.get("iou", 0.7))


def compare_detections(
    task: RowTask,
    subject: Subject,
    want: Objects,
    got: Objects,
    at: Thresholds,
    *,
    pixel: float = 1.0,
    tolerance: Tolerance = TOLERANCE,
) -> Verdicts:
    """Judge the objects of one picture: how many, their scores, boxes, keypoints of people, masks where known.

    Nothing on either side is agreement about one picture; `void_silent` sees to it that it is not all there was.

    `pixel` is the size of one pixel of the model's input in the units of the objects.
    """
    allowed = msgspec.structs.replace(tolerance, pixels=tolerance.pixels * pixel)
    found = match(want, got, allowed, confidence=at.confidence, iou=at.iou)
    count = Comparison(
        subject=subject.about("detections"),
        verdict="DIFFERS" if found.unmatched else "OK",
        tolerance=0,
        max_abs=float(len(found.unmatched)),
        want=str(len(want)),
        got=str(len(got)),
        signal=float(len(want)),
        why="; ".join(found.unmatched[:3]),
        rms=float(len(found.unmatched)),
    )
    quantities = [("score", "", found.score, allowed.score), ("box", "px", found.box, allowed.pixels)]
    if isinstance(task, PoseTask):
        quantities.append(("keypoint", "px", found.keypoint, allowed.pixels))
    each = [
        measured(subject.about(name, unit), distance, limit, found.pairs, found, len(want))
        for name, unit, distance, limit in quantities
    ]
    if want.masks or got.masks:
        mask = subject.about("mask")
        each.append(measured(mask, found.mask, allowed.mask, found.masks, found, len(want)))
    return Verdicts((count, *each), found.min_oks, found.min_mask_iou, found.excused)


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
            why=f"on every sample {c.why or 'nothing was found'}, so nothing was compared",
        )
        for c in given
    ]


def measured(subject: Subject, distance: float, allowed: float, signal: int, found: Match, wanted: int) -> Comparison:
    """Judge the largest distance of a quantity over the pairs, `signal` of them; `wanted` were to be found."""
    unmeasured = wanted > 0 and found.pairs == 0 and len(found.unmatched) > 0
    finite = math.isfinite(distance) and not unmeasured
    broken = not finite or distance > allowed
    why = "no pair to measure" if unmeasured else "NaN or infinite rows" if not finite else ""
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if broken else "OK",
        tolerance=allowed,
        max_abs=distance if finite else None,
        signal=float(signal),
        why=why or (f"differs by {distance:.3g}, more than {allowed:.3g}" if broken else ""),
        rms=found.rms.get(subject.output) if finite else None,
    )


def _quantity(subject: Subject) -> tuple[str, Stage, str]:
    return subject.runner, subject.stage, subject.output
