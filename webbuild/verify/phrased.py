"""Judging what was found by words: the same boxes, scores and words on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from webbuild.manifest import Manifest, PhrasesTask
from webbuild.tasks._base import Tolerance
from webbuild.tasks.detection import Detection
from webbuild.tasks.match_phrases import match_phrases
from webbuild.tasks.phrases import thresholds
from webbuild.verify.compare import Comparison, Subject
from webbuild.verify.detections import TOLERANCE, Verdicts, measured


def trial(manifest: Manifest) -> dict[str, float]:
    """Return the thresholds at which the samples are compared, by option; none for another task."""
    task = manifest.task
    return {**(thresholds(task) if isinstance(task, PhrasesTask) else {}), **manifest.trial}


def compare_phrases(
    subject: Subject,
    want: Sequence[Detection],
    got: Sequence[Detection],
    at: Mapping[str, float],
    *,
    pixel: float = 1.0,
    tolerance: Tolerance = TOLERANCE,
) -> Verdicts:
    """Judge what was found in one picture: how much, the words of each, scores and boxes.

    `pixel` is the size of one pixel of the model's input in the units of the boxes.
    """
    allowed = msgspec.structs.replace(tolerance, pixels=tolerance.pixels * pixel)
    found = match_phrases(want, got, allowed, at["confidence"], at["textThreshold"])
    words = [problem for problem in found.problems if problem.startswith("detection ")]
    wrong = [*found.unmatched, *words]
    count = Comparison(
        subject=subject.about("phrases"),
        verdict="DIFFERS" if wrong else "OK",
        tolerance=0,
        max_abs=float(len(wrong)),
        want=str(len(want)),
        got=str(len(got)),
        signal=float(len(want)),
        why="; ".join(wrong[:3]),
        rms=float(len(wrong)),
    )
    quantities = (("score", "", found.score, allowed.score), ("box", "px", found.box, allowed.pixels))
    each = [
        measured(subject.about(name, unit), distance, limit, found.pairs, found, len(want))
        for name, unit, distance, limit in quantities
    ]
    return Verdicts((count, *each), None, None, found.excused)
