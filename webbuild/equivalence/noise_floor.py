"""Noise floor: how much the reference's results change under a 1e-6 perturbation and another order of sums.

Some models make discrete decisions inside the graph, and rounding can flip a decision:

- Mask2Former attends where its own masks exceed one half: a million comparisons in each layer.
- Activations quantized at run time are rounded to 256 levels of a range that is measured in each layer.

In these models another order of summation changes a score by a third: a rounding tolerance rejects that, and a wider
tolerance accepts everything. So the reference runs again on perturbed inputs and weights, and a difference is accepted
if the reference differs as much from itself. Perturbing inputs alone is not enough: quantized inputs hide small
changes, and token ids cannot be perturbed. Weights in float16 change by half of their last bit.

Random changes cancel in a sum over a whole picture, but the rounding error of the sum grows with its length. So these
runs also compute InstanceNormalization with another order of sums (`runners/sequential_sums.py`).

    RMS of the candidate's differences <= NOISE_FACTOR * largest RMS of the reference's differences in PERTURBED_RUNS

The RMS of a quantity covers all samples, because large changes are rare: with five objects, one score that changes by
0.5 dominates. Counts are summed. Only quantities that differ are examined, so a stable model needs no extra run, and
the reference runs again only until every difference is explained.

If the noise is so large that another model's outputs would be within it, no difference is accepted. The model is then
compared piece by piece (`bisect/piecewise.py`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from webbuild.compare.by_output import COUNTS
from webbuild.compare.comparison import Comparison

PERTURBED_RUNS = 12
"""Maximum number of runs of every sample. If one run in five shows a change, all runs miss it in 7 cases of 100."""
NOISE_FACTOR = 1.5
"""Largest allowed ratio of a difference to the noise. A candidate that only rounds differently is like one more run: it
exceeds the largest of 12 runs in one case of 13, and 1.5 times that almost never."""
MAX_SCORE_NOISE = 0.25
"""Noise limit of scores and masks, which are in 0..1: above it, a different model would look equal."""
_COVERING_RUNS = 3
"""Number of perturbed runs for `explains_all`."""
MAX_RELATIVE_NOISE = 0.05
"""Noise limit of tensors, relative to their largest magnitude, and of depths. The RMS difference of unrelated outputs
is 0.07 to 0.3."""

_PAIRED_QUANTITIES = ("score", "box", "keypoint", "mask", "polygon")
"""Quantities over matched pairs of objects; their `signal` is the number of pairs."""
_UNLIMITED_QUANTITIES = (*COUNTS, "box", "keypoint")
"""Quantities without a noise limit: the limit of their scores applies."""

Quantity = tuple[str, str, str]
"""Stage, output and quantity."""


class NoiseFloor:
    """The noise of a reference by quantity, measured only if something differs.

    Args:
        rerun: runs the reference on all samples with inputs and weights perturbed by a seed, and compares the answers
            with the unperturbed answers.
        inputs_alone: the same with only the inputs perturbed.
    """

    def __init__(
        self,
        rerun: Callable[[int], Sequence[Comparison]],
        inputs_alone: Callable[[], Sequence[Comparison]] | None = None,
    ) -> None:
        self._rerun = rerun
        self._inputs_alone = inputs_alone or (lambda: self._run(0))
        self._runs: list[Sequence[Comparison]] = []

    @property
    def levels(self) -> Mapping[Quantity, float]:
        """The largest pooled differences of all perturbed runs so far; empty without a run."""
        return self._levels(None)

    @property
    def is_unstable(self) -> bool:
        """Whether the reference's answers for one perturbation of the inputs differ beyond tolerance."""
        return any(each.verdict == "DIFFERS" for each in self._inputs_alone())

    @property
    def named_levels(self) -> dict[str, float]:
        """The levels by stage and quantity, as text for reports."""
        return {f"{stage} {quantity or output}": level for (stage, output, quantity), level in self.levels.items()}

    def accept(self, comparisons: Sequence[Comparison]) -> list[Comparison]:
        """Return a candidate's comparisons; differences explained by noise become OK, with the noise level.

        Runs that fell back are ignored: they are comparisons of the fallback graph.
        """
        not_fallback = [each for each in comparisons if not each.from_fallback]
        pooled, limits = pool_rms(not_fallback), _limits(not_fallback)
        differing = {_quantity(each) for each in not_fallback if each.verdict == "DIFFERS"}
        if any(pooled[each] > NOISE_FACTOR * limits[each] for each in differing):
            return list(comparisons)
        noise: Mapping[Quantity, float] = {}
        samples = {each.subject.sample for each in not_fallback}
        for count in range(1, PERTURBED_RUNS + 1):
            if all(_explains(noise, each, pooled[each]) for each in differing):
                break
            self._run(count - 1)
            noise = self._levels(samples, count)
            if not differing <= noise.keys():
                return list(comparisons)
        if any(level > limits.get(each, math.inf) for each, level in noise.items()):
            return list(comparisons)
        explained = {each for each in differing if _explains(noise, each, pooled[each])}
        return [
            msgspec.structs.replace(each, verdict="OK", reason=None, noise=noise[_quantity(each)])
            if each.verdict == "DIFFERS" and not each.from_fallback and _quantity(each) in explained
            else each
            for each in comparisons
        ]

    def level(self, comparison: Comparison) -> float:
        """Return the noise level of a comparison's quantity in the runs so far."""
        return self.levels.get(_quantity(comparison), 0.0)

    def explains_all(self, comparisons: Sequence[Comparison]) -> bool:
        """Whether noise, without limits, explains every remaining difference: the outputs then prove nothing."""
        pooled = pool_rms(each for each in comparisons if not each.from_fallback)
        differing = {_quantity(each) for each in comparisons if each.verdict == "DIFFERS" and not each.from_fallback}
        if not differing or any(math.isinf(pooled[each]) for each in differing):
            return False
        for seed in range(_COVERING_RUNS):
            self._run(seed)
        noise = self._levels({each.subject.sample for each in comparisons}, _COVERING_RUNS)
        return all(_explains(noise, each, pooled[each]) for each in differing)

    def _run(self, seed: int) -> Sequence[Comparison]:
        if seed == len(self._runs):
            self._runs.append(self._rerun(seed))
        return self._runs[seed]

    def _levels(self, samples: set[str] | None, count: int | None = None) -> Mapping[Quantity, float]:
        runs = [
            pool_rms(each for each in run if samples is None or each.subject.sample in samples)
            for run in self._runs[:count]
        ]
        return {quantity: max(run.get(quantity, 0.0) for run in runs) for quantity in set().union(*runs)}


def pool_rms(comparisons: Iterable[Comparison]) -> dict[Quantity, float]:
    """Return by quantity the root mean square over all comparisons, weighted by the number of matched pairs.

    Counts of unmatched objects are summed. A comparison without an RMS, such as of the best class, makes its quantity
    infinite if it differs, else it counts as 0.
    """
    parts: dict[Quantity, list[tuple[float, float]]] = defaultdict(list)
    for each in comparisons:
        weight = each.signal if each.subject.quantity in _PAIRED_QUANTITIES else 1.0
        unmeasured = math.inf if each.verdict == "DIFFERS" else 0.0
        parts[_quantity(each)].append((unmeasured if each.rms is None else each.rms, weight))
    return {quantity: _pool(quantity, weighted) for quantity, weighted in parts.items()}


def _pool(quantity: Quantity, parts: Sequence[tuple[float, float]]) -> float:
    if quantity[2] in COUNTS:
        return sum(rms for rms, _ in parts)
    if any(math.isinf(rms) for rms, _ in parts):
        return math.inf
    total = sum(weight for _, weight in parts)
    return math.sqrt(sum(rms**2 * weight for rms, weight in parts if weight) / total) if total else 0.0


def _limits(comparisons: Iterable[Comparison]) -> dict[Quantity, float]:
    """Return the noise limit by quantity: above it, noise explains no difference."""
    limits: dict[Quantity, float] = {}
    for each in comparisons:
        match each.subject.quantity:
            case name if name in _UNLIMITED_QUANTITIES:
                limit = math.inf
            case "":
                limit = MAX_RELATIVE_NOISE * each.signal
            case "depth" | "confidence":
                limit = MAX_RELATIVE_NOISE
            case _:
                limit = MAX_SCORE_NOISE
        limits[_quantity(each)] = max(limit, limits.get(_quantity(each), 0.0))
    return limits


def _explains(noise: Mapping[Quantity, float], quantity: Quantity, difference: float) -> bool:
    level = NOISE_FACTOR * noise.get(quantity, 0.0)
    return level > 0 and difference <= (math.ceil(level) if quantity[2] in COUNTS else level)


def _quantity(comparison: Comparison) -> Quantity:
    """Return the quantity of a comparison. A tensor that is the decoded result counts as the raw output."""
    about = comparison.subject
    same = about.stage == "decoded" and about.output and not about.quantity
    return "raw" if same else about.stage, about.output, about.quantity
