"""Models whose answers leap: how far apart two right answers may lie.

Activations that are quantised at run time are rounded to 256 levels of a range that is measured anew in each layer.
A difference of one part in a million of the input, which is what another order of summation makes of it, moves a few
of them by a whole level, and some layers later a score by a third. No tolerance of rounding holds then, and one that
holds for the largest leap accepts everything.

So the reference is asked: it runs every sample again on an input changed by one part in a million, several times, the
more often the fewer objects there are. A backend whose differences are, over all samples together, no larger than what
that makes (by root mean square; by number, of detections without a partner) cannot be told from the reference.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from webbuild.compare.arrays import Comparison
from webbuild.compare.perturbation import RELATIVE_CHANGE, perturb
from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_answers import compare_answers
from webbuild.manifest.manifest import OptionInput, SizeInput
from webbuild.model.traversal import read_op_types
from webbuild.runners.native import NativeRunner
from webbuild.verify.bundle_reader import Bundle
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.reference import policy_of, reference_file, run_reference

QUANTIZE_OPS = frozenset({"DynamicQuantizeLinear", "QuantizeLinear"})
MIN_REPEATS = 3
MIN_PAIRS = 300
"""Pairs of objects that the repeats are to compare in all. Leaps are large and rare, one object in twenty by half a
score: of a few pairs the root mean square is a matter of luck."""
MAX_REPEATS = 20
NOISE_FACTOR = 1.5
"""How much larger than the reference's own a backend's differences may be."""
MAX_NOISE = 0.25
"""Spread from which on nothing could be told apart any more: of scores and of the covered part of masks as they are,
of whole outputs relative to the largest magnitude in them."""

_DISTANCE_QUANTITIES = ("score", "box", "keypoint", "mask")
"""Quantities of pairs of objects."""
_OBJECT_QUANTITIES = (*_DISTANCE_QUANTITIES, "detections")

Quantity = tuple[str, str]
"""Stage and output."""


class NoiseFloor(Struct, frozen=True):
    """How far apart the reference's own answers lie: by quantity, over all samples, the largest of the repeats."""

    pooled: Mapping[Quantity, float]


def measure_noise_floor(
    bundle: Bundle,
    runner: NativeRunner,
    work: Sequence[tuple[VerifyInput, Answer]],
    progress: Callable[[str], None],
) -> NoiseFloor | None:
    """Return the spread of a model that quantises its activations at run time, None for every other model."""
    if not read_op_types(reference_file(bundle)) & QUANTIZE_OPS:
        return None
    times = repeat_count(sum(len(want.detections) for _, want in work))
    progress(f"native: {times} more runs of each input, changed by {RELATIVE_CHANGE:g} of itself")
    repeats = [
        pool_rms(c for given, want in work for c in _run_perturbed(bundle, runner, given, want, seed))
        for seed in range(times)
    ]
    return NoiseFloor(
        {quantity: max(each.get(quantity, 0.0) for each in repeats) for quantity in set().union(*repeats)}
    )


def repeat_count(objects: int) -> int:
    """Return how often the reference is to run again, for so many objects on all samples."""
    return min(MAX_REPEATS, max(MIN_REPEATS, math.ceil(MIN_PAIRS / objects))) if objects else MIN_REPEATS


def apply_noise_floor(comparisons: Sequence[Comparison], spread: NoiseFloor) -> list[Comparison]:
    """Judge a backend's comparisons again, all samples together, where the model's own spread explains them."""
    pooled = pool_rms(comparisons)
    explained = {
        quantity
        for quantity, rms in pooled.items()
        if rms <= NOISE_FACTOR * spread.pooled.get(quantity, 0.0) + (1 if quantity[1] == "detections" else 0)
    }
    if any(rms > MAX_NOISE for (_, name), rms in spread.pooled.items() if name in ("score", "mask")):
        explained = set()
    return [
        msgspec.structs.replace(c, verdict="OK", why="")
        if c.verdict == "DIFFERS" and c.rms is not None and _quantity_of(c) in explained and _is_informative(c, spread)
        else c
        for c in comparisons
    ]


def _is_informative(comparison: Comparison, spread: NoiseFloor) -> bool:
    """Whether the model's own spread is small enough that a whole output of another model would not be within it."""
    return (
        comparison.subject.output in _OBJECT_QUANTITIES
        or spread.pooled[_quantity_of(comparison)] <= MAX_NOISE * comparison.signal
    )


def pool_rms(comparisons: Iterable[Comparison]) -> dict[Quantity, float]:
    """Return by quantity the root mean square over all comparisons, each weighted by how much it compared.

    Of detections without a partner it is their number. A comparison that has no number makes its quantity infinite.
    """
    parts: dict[Quantity, list[tuple[float, float]]] = defaultdict(list)
    for c in comparisons:
        weight = c.signal if c.subject.output in _DISTANCE_QUANTITIES else 1.0
        parts[_quantity_of(c)].append((math.inf if c.rms is None else c.rms, weight))
    pooled = {}
    for quantity, each in parts.items():
        total = sum(weight for _, weight in each)
        if quantity[1] == "detections":
            pooled[quantity] = sum(rms for rms, _ in each)
        else:
            pooled[quantity] = (
                math.sqrt(sum(rms**2 * weight for rms, weight in each if weight) / total) if total else 0.0
            )
    return pooled


def _run_perturbed(
    bundle: Bundle, runner: NativeRunner, given: VerifyInput, want: Answer, seed: int
) -> list[Comparison]:
    names = {spec.name for spec in bundle.manifest.inputs if not isinstance(spec, OptionInput | SizeInput)}
    moved = perturb({name: array for name, array in given.feeds.items() if name in names}, seed)
    got = run_reference(bundle, runner, msgspec.structs.replace(given, feeds={**given.feeds, **moved}))
    return compare_answers("native", given.title, want, got, policy_of(bundle, "native"))


def _quantity_of(comparison: Comparison) -> Quantity:
    return comparison.subject.stage, comparison.subject.output
