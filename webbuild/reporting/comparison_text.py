"""Texts about comparisons: names of outputs, distances of their quantities, and differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from webbuild.compare.by_output import COUNTS, group_by_output, matched_objects
from webbuild.compare.comparison import Comparison, Mismatch, NoSignal

_REASONS: dict[Mismatch | NoSignal, str] = {
    "missing": "the output is missing",
    "shape": "different shape",
    "dtype": "different type",
    "nan": "NaN on one side only",
    "infinite": "infinite on one side only",
    "not-finite": "{quantity}NaN or infinite values",
    "too-far": "{quantity}differs by {max_abs:.3g}, more than {tolerance:.3g}",
    "worst-too-far": "{quantity}differs by {max_rel:.3g} at the worst place, more than is allowed anywhere",
    "too-many": "{quantity}more bytes are 1 apart than the rounding of floating point numbers explains",
    "not-equal": "{quantity}is different",
    "unmatched": "without a partner",
    "no-pairs": "no pair to measure",
    "malformed": "not a valid result",
    "empty": "the output is empty",
    "zero": "the reference is zero everywhere",
    "nan-or-zero": "the reference is NaN or zero everywhere",
    "rounding": "the reference is nowhere above {signal:.2g}, which is rounding",
    "constant": "the reference is the same everywhere, within the tolerance",
    "nothing-found": "nothing was found on any sample",
}


class ComparisonRow(Struct, frozen=True):
    """A row of a table of comparisons: an output of a runner on a sample, with all its quantities."""

    sample: str
    runner: str
    output: str
    objects: int | None
    near_threshold: int
    distance: str
    from_fallback: bool


def comparison_rows(comparisons: Iterable[Comparison]) -> list[ComparisonRow]:
    """Return a row for each output of each run."""
    return [
        ComparisonRow(
            sample,
            runner,
            output_title(group),
            matched_objects(group),
            sum(each.near_threshold for each in group),
            describe_distance(group),
            any(each.from_fallback for each in group),
        )
        for (sample, runner, _, _), group in group_by_output(comparisons).items()
    ]


def noise_texts(comparisons: Iterable[Comparison], format_level: Callable[[float], str]) -> dict[str, str]:
    """Return the noise floor of each output or quantity with a difference that it explains.

    That of an output's elements is followed by their largest magnitude: `0.2 of values up to 80`.
    """
    levels: dict[str, tuple[float, float]] = {}
    for each in comparisons:
        if each.noise is not None:
            level, most = levels.get(each.subject.name, (0.0, 0.0))
            magnitude = each.signal if each.subject.stage == "raw" and not each.subject.quantity else 0.0
            levels[each.subject.name] = max(each.noise, level), max(magnitude, most)
    return {
        name: format_level(level) + (f" of values up to {most:.3g}" if most else "")
        for name, (level, most) in levels.items()
    }


def output_title(group: Sequence[Comparison]) -> str:
    """Return the name of an output, or of the predicted quantity if it was decoded from several outputs."""
    about = group[0].subject
    holds_masks = about.quantity == "detections" and any(each.subject.quantity == "mask" for each in group)
    return about.output or ("masks" if holds_masks else about.quantity)


def object_noun(comparison: Comparison, group: Sequence[Comparison]) -> str:
    """Return the noun of one object of an output: `mask`, `region` or `detection`."""
    if comparison.subject.quantity == "mask" and group[0].subject.quantity == "detections":
        return "mask"
    return "region" if group[0].subject.quantity == "regions" else "detection"


def describe_reason(comparison: Comparison) -> str:
    """Return why two results differ, or why the reference proves nothing; empty if they are the same."""
    if comparison.reason is None:
        return ""
    numbers = {name: getattr(comparison, name) or 0.0 for name in ("max_abs", "max_rel", "tolerance", "signal")}
    quantity = f"{comparison.subject.quantity} " if comparison.subject.quantity else ""
    reason = _REASONS[comparison.reason].format(quantity=quantity, **numbers)
    return f"{reason}: {'; '.join(comparison.details)}" if comparison.details else reason


def describe_difference(group: Sequence[Comparison]) -> str:
    """Return the differences in an output: quantity, position and size."""
    return "; ".join(_describe_mismatch(each) for each in group if each.verdict == "DIFFERS")


def describe_distance(group: Sequence[Comparison]) -> str:
    """Return the distances of an output's quantities and their tolerances, without counts and classes."""
    return ", ".join(_describe_quantity(each) for each in group if each.subject.quantity not in (*COUNTS, "class"))


def _describe_mismatch(comparison: Comparison) -> str:
    where = f" at {list(comparison.worst)}" if comparison.worst else ""
    values = f": wanted {comparison.want}, got {comparison.got}" if comparison.want or comparison.got else ""
    return describe_reason(comparison) + where + values


def _describe_quantity(comparison: Comparison) -> str:
    quantity = f"{comparison.subject.quantity} " if comparison.subject.quantity else ""
    largest = "not finite" if comparison.max_abs is None else f"{comparison.max_abs:.2g}"
    unit = f" {comparison.subject.unit}" if comparison.subject.unit else ""
    least = "" if comparison.similarity is None else f" (least similarity {comparison.similarity:.4f})"
    psnr = "" if comparison.psnr is None else f" (PSNR {comparison.psnr:.1f} dB)"
    noise = "" if comparison.noise is None else f" (noise floor {comparison.noise:.2g} RMS)"
    return f"{quantity}{largest} of {comparison.tolerance:.2g}{unit}{least}{psnr}{noise}"
