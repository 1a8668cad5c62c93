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

from webbuild.manifest import OptionInput, RowTask, SizeInput
from webbuild.nodes import operators
from webbuild.tasks.objects import of_detections
from webbuild.verify.changed import CHANGE, changed
from webbuild.verify.compare import Comparison, Subject
from webbuild.verify.detections import compare_detections, thresholds
from webbuild.verify.inputs import Given
from webbuild.verify.native import NativeRunner
from webbuild.verify.opened import Bundle
from webbuild.verify.reference import Expected, compare_raw, expect, reference_file

QUANTISING = frozenset({"DynamicQuantizeLinear", "QuantizeLinear"})
REPEATS = 3
PAIRS = 300
"""Pairs of objects that the repeats are to compare in all. Leaps are large and rare, one object in twenty by half a
score: of a few pairs the root mean square is a matter of luck."""
MOST_REPEATS = 20
FACTOR = 1.5
"""How much larger than the reference's own a backend's differences may be."""
MOST = 0.25
"""Spread from which on nothing could be told apart any more: of scores and of the covered part of masks as they are,
of whole outputs relative to the largest magnitude in them."""

_MEASURED = ("score", "box", "keypoint", "mask")
"""Quantities of pairs of objects."""
_OF_OBJECTS = (*_MEASURED, "detections")

Quantity = tuple[str, str]
"""Stage and output."""


class Spread(Struct, frozen=True):
    """How far apart the reference's own answers lie: by quantity, over all samples, the largest of the repeats."""

    pooled: Mapping[Quantity, float]


def measure(
    bundle: Bundle, runner: NativeRunner, work: Sequence[tuple[Given, Expected]], say: Callable[[str], None]
) -> Spread | None:
    """Return the spread of a model that quantises its activations at run time, None for every other model."""
    if not operators(reference_file(bundle)) & QUANTISING:
        return None
    times = repeats_for(sum(len(want.detections) for _, want in work))
    say(f"native: {times} more runs of each input, changed by {CHANGE:g} of itself")
    repeats = [
        pool(c for given, want in work for c in _again(bundle, runner, given, want, seed)) for seed in range(times)
    ]
    return Spread({quantity: max(each.get(quantity, 0.0) for each in repeats) for quantity in set().union(*repeats)})


def repeats_for(objects: int) -> int:
    """Return how often the reference is to run again, for so many objects on all samples."""
    return min(MOST_REPEATS, max(REPEATS, math.ceil(PAIRS / objects))) if objects else REPEATS


def judge(comparisons: Sequence[Comparison], spread: Spread) -> list[Comparison]:
    """Judge a backend's comparisons again, all samples together, where the model's own spread explains them."""
    pooled = pool(comparisons)
    explained = {
        quantity
        for quantity, rms in pooled.items()
        if rms <= FACTOR * spread.pooled.get(quantity, 0.0) + (1 if quantity[1] == "detections" else 0)
    }
    if any(rms > MOST for (_, name), rms in spread.pooled.items() if name in ("score", "mask")):
        explained = set()
    return [
        msgspec.structs.replace(c, verdict="OK", why="")
        if c.verdict == "DIFFERS" and c.rms is not None and _quantity(c) in explained and _tells(c, spread)
        else c
        for c in comparisons
    ]


def _tells(comparison: Comparison, spread: Spread) -> bool:
    """Whether the model's own spread is small enough that a whole output of another model would not be within it."""
    return comparison.subject.output in _OF_OBJECTS or spread.pooled[_quantity(comparison)] <= MOST * comparison.signal


def pool(comparisons: Iterable[Comparison]) -> dict[Quantity, float]:
    """Return by quantity the root mean square over all comparisons, each weighted by how much it compared.

    Of detections without a partner it is their number. A comparison that has no number makes its quantity infinite.
    """
    parts: dict[Quantity, list[tuple[float, float]]] = defaultdict(list)
    for c in comparisons:
        weight = c.signal if c.subject.output in _MEASURED else 1.0
        parts[_quantity(c)].append((math.inf if c.rms is None else c.rms, weight))
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


def _again(bundle: Bundle, runner: NativeRunner, given: Given, want: Expected, seed: int) -> list[Comparison]:
    names = {spec.name for spec in bundle.manifest.inputs if not isinstance(spec, OptionInput | SizeInput)}
    moved = changed({name: array for name, array in given.feeds.items() if name in names}, seed)
    got = expect(bundle, runner, msgspec.structs.replace(given, feeds={**given.feeds, **moved}))
    found = compare_raw(bundle, "native", given.title, "raw", want.outputs, got.outputs)
    task = bundle.manifest.task
    if isinstance(task, RowTask) and given.placement is not None:
        sides = of_detections(task, want.detections), of_detections(task, got.detections)
        about = Subject("native", given.title, "decoded", "")
        pixel = max(1.0, given.placement.source_width / given.placement.width)
        found += compare_detections(task, about, *sides, thresholds(bundle.manifest), pixel=pixel).comparisons
    return found


def _quantity(comparison: Comparison) -> Quantity:
    return comparison.subject.stage, comparison.subject.output
