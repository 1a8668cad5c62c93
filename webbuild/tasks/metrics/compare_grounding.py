"""Compare grounded detections: the same boxes, scores and words on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.metrics.compare_detections import compare_counts, compare_quantity
from webbuild.tasks.metrics.match_grounding import match_grounding


def compare_grounding(
    subject: ComparedOutput,
    expected: Sequence[Detection],
    actual: Sequence[Detection],
    thresholds: Mapping[str, float],
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the detections of one picture: their number, words, scores and boxes."""
    match = match_grounding(expected, actual, tolerance, thresholds["confidence"], thresholds["textThreshold"])
    words = (match.problems["words"],) if "words" in match.problems else ()
    quantities = (("score", "", match.score, tolerance.score), ("box", "px", match.box, tolerance.pixels))
    return [
        compare_counts(subject.with_quantity("phrases"), match, len(expected), len(actual), words),
        *(
            compare_quantity(subject.with_quantity(name, unit), distance, limit, match, len(expected))
            for name, unit, distance, limit in quantities
        ),
    ]
