"""Comparisons grouped by output: the quantities of one output, or of one prediction, form a group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webbuild.compare.comparison import Comparison

COUNTS = ("detections", "regions", "phrases", "ids")
"""Quantities that count objects."""

OutputKey = tuple[str, str, str, str]
"""Sample, runner, stage and output; the output of a prediction is empty."""


def group_by_output(comparisons: Iterable[Comparison]) -> dict[OutputKey, list[Comparison]]:
    """Return the quantities of each output of each run, in their order."""
    groups: dict[OutputKey, list[Comparison]] = {}
    for each in comparisons:
        about = each.subject
        groups.setdefault((about.sample, about.runner, about.stage, about.output), []).append(each)
    return groups


def matched_objects(group: Sequence[Comparison]) -> int | None:
    """Return the number of matched objects or masks of an output; None for an output of another kind."""
    by = {each.subject.quantity: each for each in group}
    counted = next((by[name] for name in COUNTS if name in by), None)
    return None if counted is None else int(by.get("mask", by.get("score", counted)).signal)


def count_near_threshold(comparisons: Iterable[Comparison]) -> int:
    """Count unmatched objects near a threshold, each once, as `count_matched` does."""
    counts = (each for group in _groups_of_objects(comparisons) for each in group if each.subject.quantity in COUNTS)
    return sum(each.near_threshold for each in counts)


def count_matched(comparisons: Iterable[Comparison]) -> int:
    """Count matched objects, each once: objects of a prediction are not counted if an output counted them."""
    return sum(matched_objects(group) or 0 for group in _groups_of_objects(comparisons))


def _groups_of_objects(comparisons: Iterable[Comparison]) -> Iterable[Sequence[Comparison]]:
    """Return the first output with objects of each run."""
    first: dict[tuple[str, str], Sequence[Comparison]] = {}
    for (sample, runner, _, _), group in group_by_output(comparisons).items():
        if matched_objects(group) is not None:
            first.setdefault((sample, runner), group)
    return first.values()
