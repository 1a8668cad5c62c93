"""One graph's answer to one sample, in a row for each output: what the proof's report shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from webbuild.compare.arrays import ComparedOutput, Comparison
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_answers import compare_output, compare_predictions
from webbuild.equivalence.policy import native_policy
from webbuild.manifest.manifest import Graph
from webbuild.samples.collect import Sample
from webbuild.tasks.base import kind_of

MASKS = "masks of "
"""In front of the name of the rows whose masks were compared."""

PHRASES = "phrases"
"""What is compared besides the outputs, where a prompt says what to look for: what they say in its words."""

REGIONS = "regions"
"""What is compared besides the outputs where each pixel belongs to a region."""


class OutputComparison(Struct, frozen=True, rename="camel"):
    """One output of one graph on one sample, against the original's.

    `objects` is the number of matched detections or regions, or of their masks that cover anything; None for an output
    that is not detections. `excused` ones lie within tolerance of a threshold. `repeated` says that the graph asked for
    its fallback, as at run time. `apart` is the largest difference between tensors, None for what is not compared
    number by number; `leap` is what the original itself moves by, where that explains it. `used` is the part of the
    tolerance that the difference takes, infinite for what differs in kind, None where that is not one number.
    """

    sample: str
    target: str
    output: str
    verdict: str
    objects: int | None
    excused: int
    repeated: bool
    distance: str
    why: str
    apart: float | None = None
    leap: float | None = None
    used: float | None = None


def compare_outputs(
    sample: Sample, graph: Graph, want: Answer, got: Answer, *, repeated: bool
) -> list[OutputComparison]:
    """Compare every output that the original has, and what they say together."""
    policy, rows, kind = native_policy(graph), list[OutputComparison](), kind_of(want.task)
    objects = kind.has_detections or kind.predicts_more
    for name in want.outputs:
        subject = ComparedOutput(graph.name, sample.name, "raw", name)
        comparisons = compare_output(subject, want, got.outputs, policy)
        rows.append(_row(name, comparisons, repeated=repeated, objects=objects))
    if kind.predicts_more:
        found = compare_predictions(graph.name, sample.name, want, got, policy)
        mask = any(comparison.subject.output == "mask" for comparison in found)
        what = found[0].subject.output if found else ""
        name = what if what in (PHRASES, REGIONS) else MASKS + next(iter(want.outputs))
        if mask or name == PHRASES or any(comparison.verdict == "DIFFERS" for comparison in found):
            rows.append(_row(name, found, repeated=repeated, objects=objects))
    return rows


def count_matched_detections(proofs: Sequence[OutputComparison]) -> int:
    """Count the detections that were matched, each once: not their masks again."""
    return sum(proof.objects or 0 for proof in proofs if not proof.output.startswith(MASKS))


def _row(name: str, comparisons: Sequence[Comparison], *, repeated: bool, objects: bool) -> OutputComparison:
    """Return the row of an output from the comparisons of its quantities.

    `objects` says that the task has objects to count: a plain tensor may be called "detections" too.
    """
    by = {comparison.subject.output: comparison for comparison in comparisons}
    first = comparisons[0]
    differing = [comparison for comparison in comparisons if comparison.verdict == "DIFFERS"]
    counted = objects and ("detections" in by or PHRASES in by or REGIONS in by)
    silent = first.verdict == "VACUOUS" or (not counted and not any(comparison.signal for comparison in comparisons))
    used = [part for comparison in comparisons if (part := comparison.tolerance_used) is not None]
    unmatched = any(comparison.max_abs and not comparison.tolerance for comparison in comparisons)
    plain = len(comparisons) == 1 and first.subject.output == name
    return OutputComparison(
        first.subject.sample,
        first.subject.runner,
        name,
        "DIFFERS" if differing else "VACUOUS" if silent else "OK",
        _object_count(name, by) if counted else None,
        0 if name.startswith(MASKS) else sum(comparison.near_threshold for comparison in comparisons),
        repeated,
        _distance_of_tensor(first) if plain else ", ".join(filter(None, map(_distance, comparisons))),
        "; ".join(map(_why, differing or ([first] if silent else []))),
        apart=first.max_abs if plain else None,
        used=math.inf if unmatched else max(used, default=None),
    )


def _object_count(name: str, by: Mapping[str, Comparison]) -> int:
    """Return how many objects were matched; regions of a semantic segmentation have masks and no scores."""
    return int(by["mask" if name.startswith(MASKS) or "score" not in by else "score"].signal)


def _why(comparison: Comparison) -> str:
    place = f" at {list(comparison.worst)}" if comparison.worst else ""
    values = f": wanted {comparison.want}, got {comparison.got}" if comparison.want or comparison.got else ""
    return comparison.why + (place + values if comparison.verdict == "DIFFERS" else "")


def _distance_of_tensor(comparison: Comparison) -> str:
    largest = "not finite" if comparison.max_abs is None else f"{comparison.max_abs:.2g}"
    return f"{largest} of {comparison.tolerance:.2g}"


def _distance(comparison: Comparison) -> str:
    """Return the size of a difference in words; nothing for a count."""
    if not comparison.tolerance:
        return ""
    largest = "not finite" if comparison.max_abs is None else f"{comparison.max_abs:.2g}"
    unit = f" {comparison.subject.unit}" if comparison.subject.unit else ""
    least = "" if comparison.similarity is None else f" (least similarity {comparison.similarity:.4f})"
    return f"{comparison.subject.output} {largest} of {comparison.tolerance:.2g}{unit}{least}"
