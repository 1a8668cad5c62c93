"""Verdict of a proof: no output differs, and every quantity has signal."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.compare.by_output import group_by_output, matched_objects
from webbuild.compare.comparison import Comparison
from webbuild.errors import WebbuildError
from webbuild.reporting.comparison_text import describe_difference, describe_reason, object_noun, output_title
from webbuild.reporting.quantities import format_differing


def has_no_detections(comparisons: Sequence[Comparison]) -> bool:
    """Whether the task has detections, but no sample has one."""
    counts = [matched_objects(group) for group in group_by_output(comparisons).values()]
    return any(count is not None for count in counts) and not any(counts)


def used_only_fallback(comparisons: Sequence[Comparison]) -> bool:
    """Whether at least one graph fell back on every sample."""
    compared = {each.subject.runner for each in comparisons if not each.from_fallback}
    return not {each.subject.runner for each in comparisons} <= compared


def mismatches(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons that found a difference."""
    return [each for each in comparisons if each.verdict == "DIFFERS"]


def require_equivalent(comparisons: Sequence[Comparison]) -> None:
    """Raise unless every output is proven equal on samples with signal.

    Raises:
        WebbuildError: `output-mismatch` with output, index, expected and actual value; or `vacuous-comparison` if no
            sample has signal.
    """
    if not comparisons:
        raise WebbuildError("vacuous-comparison", "there are no samples to compare", "give some with --sample FILE...")
    if wrong := mismatches(comparisons):
        first, groups = wrong[0].subject, group_by_output(comparisons)
        same = groups[first.sample, first.runner, first.stage, first.output]
        raise WebbuildError(
            "output-mismatch",
            f"{format_differing(len(group_by_output(wrong)), len(groups))}; first: output '{output_title(same)}' "
            f"of the {first.runner} graph on sample {first.sample}: {describe_difference(same)}",
            "webbuild wrote nothing; run with --dry-run to see the passes and their rewrites, and report the model",
        )
    for runner in sorted({each.subject.runner for each in comparisons}):
        of_runner = [each for each in comparisons if each.subject.runner == runner]
        if all(each.from_fallback for each in of_runner):
            raise WebbuildError(
                "vacuous-comparison",
                f"the {runner} graph passes every sample to its fallback, so its own results were not compared",
                "give samples with fewer objects: --sample FILE...",
            )
        _require_signal(of_runner)


def _require_signal(comparisons: Sequence[Comparison]) -> None:
    """Raise if a quantity is vacuous on every sample."""
    groups = list(group_by_output(comparisons).values())
    quantities = {
        (c.subject.stage, c.subject.output, c.subject.quantity) for c in comparisons if c.verdict != "VACUOUS"
    }
    for group in groups:
        for each in group:
            about = each.subject
            if (about.stage, about.output, about.quantity) in quantities:
                continue
            counted = matched_objects(group) is not None
            reason = (
                f"no sample has a {object_noun(each, group)}, so equal results prove nothing"
                if counted
                else describe_reason(each)
            )
            fix = "give pictures or tensors on which the model finds something: --sample FILE..."
            if not about.quantity:
                fix += "; or try usual sizes and inputs: --dim NAME=N, --set NAME=VALUE"
            raise WebbuildError("vacuous-comparison", f"output '{output_title(group)}': {reason}", fix)
