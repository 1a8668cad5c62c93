"""The largest part of a graph that is right in float16: ranges first, then groups of nodes, the heaviest first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.precision.accuracy_checker import AccuracyChecker, AccuracyVerdict
from webbuild.precision.activation_ranges import measure_ranges
from webbuild.precision.budget import SearchBudget
from webbuild.precision.convert import ConversionPlan, Fp16Graph, clamp_model_masks, convertible_nodes, plan_conversion
from webbuild.precision.cost import NodeCost, converted_fraction, node_costs
from webbuild.precision.delta_debug import minimize
from webbuild.precision.grow import grow
from webbuild.precision.insert_casts import stored_size
from webbuild.precision.range_rules import find_out_of_range
from webbuild.precision.report import ConvertedFraction
from webbuild.precision.search_report import weight_bytes
from webbuild.reporting.quantities import format_count

if TYPE_CHECKING:
    import onnx_ir as ir

    from webbuild.precision.fp16_backends import Fp16Backend
    from webbuild.targets.table import KernelTable

ProgressCallback = Callable[[str], None]
KEPT_BY_SEARCH = "the results differ with it in float16"


class Evaluation(Struct, frozen=True):
    """A graph that was tried: how much of it was float16, and how much of each output's tolerance it used.

    `mismatch` is empty where the answers are the same.
    """

    fraction: ConvertedFraction
    tolerance_used: dict[str, float]
    mismatch: str


class SearchResult(Struct, frozen=True):
    """What a search found: `best` is None where no graph with float16 in it gives the same answers.

    `evaluations` are all that were tried, in order. It took `seconds` by the clock, and processors were
    `processor_seconds`. `stop_reason` says why the search went no further, empty where it was done.
    """

    best: Fp16Graph | None
    fraction: ConvertedFraction
    evaluations: tuple[Evaluation, ...]
    seconds: float
    processor_seconds: float
    stop_reason: str


class PrecisionSearch:
    """One search.

    Args:
        model: the graph of float32.
        table: of the target.
        judging: what compares.
        arithmetic: what computes in float16.
        budget: its limits.
        say: where it tells how it goes.
    """

    def __init__(
        self,
        model: ir.Model,
        table: KernelTable | None,
        checker: AccuracyChecker,
        backend: Fp16Backend,
        budget: SearchBudget,
        say: ProgressCallback,
    ) -> None:
        self._judging, self._arithmetic, self._budget, self._say = checker, backend, budget, say
        self._started, self._busy = time.monotonic(), time.process_time()
        self._longest = 0.0
        soft, _ = clamp_model_masks(model)
        convertible = convertible_nodes(soft)
        ranges = find_out_of_range(soft, convertible, measure_ranges(soft, backend.as_fed(checker.feeds)))
        self.plan: ConversionPlan = plan_conversion(model, table, ranges)
        self._weights: dict[str, NodeCost] = node_costs(convertible)
        self._macs = sum(each.macs for each in self._weights.values())
        self._spent_macs = 0
        self._float32_weights: Sequence[str] = ()
        self._evaluations: list[Evaluation] = []
        self._known: dict[tuple[frozenset[str], frozenset[str]], bool] = {}
        self._best: Fp16Graph | None = None
        self._ended = ""

    def run(self, *, only_full: bool) -> SearchResult:
        """Search. With `only_full` only the graph is tried in which all is float16 that can be."""
        self._say(
            f"{format_count(len(self.plan.fp32_reasons), 'node')} stay float32: their operator or their values need it"
        )
        full = self.plan.convert()
        if full.fp16_nodes and not self._evaluate(full) and not only_full:
            self._grow(full.fp16_nodes)
        best = self._best
        return SearchResult(
            best,
            converted_fraction(self._weights, best.fp16_nodes if best else ()),
            tuple(self._evaluations),
            time.monotonic() - self._started,
            time.process_time() - self._busy,
            self._ended,
        )

    def _grow(self, names: Sequence[str]) -> None:
        """Let group after group be float16, the heaviest first, and each stay so with which the answers are right."""
        bare = self._is_accurate(names)
        if bare is None:
            return
        if not bare:  # even rounding the weights is too much
            self._float32_weights = minimize(self._weighty_nodes(), lambda some: self._is_accurate_stored(names, some))
        shares = {name: converted_fraction(self._weights, [name]).mean + 1e-3 / len(names) for name in names}

        def convert(fp16: Collection[str]) -> Collection[str] | None:
            fp32_nodes = [name for name in names if name not in fp16]
            right = self._is_accurate(fp32_nodes)
            return None if right is None else self._convert(fp32_nodes).fp16_nodes if right else ()

        grow(names, shares, convert)

    def _weighty_nodes(self) -> list[str]:
        """Return the nodes with weights that would be rounded, the lightest first: what is first is rather kept."""
        by_weight = {
            node.name or "": sum(stored_size(node, value) for value in node.inputs) for node in self.plan.model.graph
        }
        return sorted((name for name, size in by_weight.items() if size), key=lambda name: by_weight[name])

    def _is_accurate_stored(self, names: Sequence[str], float32_weights: Sequence[str]) -> bool | None:
        """Return whether the answers are the same with all nodes in float32, and the weights of these."""
        self._float32_weights = float32_weights
        return self._is_accurate(names)

    def _convert(self, fp32_nodes: Sequence[str]) -> Fp16Graph:
        return self.plan.convert(fp32_nodes, KEPT_BY_SEARCH, float32_weights=self._float32_weights)

    def _is_accurate(self, fp32_nodes: Sequence[str]) -> bool | None:
        """Return whether the answers are the same with these kept; None where the budget is spent."""
        fp16_graph = self._convert(fp32_nodes)
        if (known := self._known.get(self._key(fp16_graph))) is not None:
            return known
        return None if self._is_over_budget() else self._evaluate(fp16_graph)

    def _is_over_budget(self) -> bool:
        if len(self._evaluations) >= self._budget.evaluations:
            self._ended = f"its budget of {format_count(self._budget.evaluations, 'evaluation')} was spent"
        elif self._spent_macs >= self._budget.gmacs * 1e9:
            self._ended = f"its budget of {self._budget.gmacs:g} billion multiplications was spent"
        elif time.monotonic() - self._started + self._longest > self._budget.seconds:
            self._ended = (
                f"its limit of {self._budget.seconds:g} seconds was reached, so it may end elsewhere on another machine"
            )
        return bool(self._ended)

    def _evaluate(self, fp16_graph: Fp16Graph) -> bool:
        began = time.monotonic()
        judged: AccuracyVerdict = self._judging.check(fp16_graph.model, self._arithmetic)
        self._longest = max(self._longest, time.monotonic() - began)
        self._spent_macs += judged.runs * self._macs
        part = converted_fraction(self._weights, fp16_graph.fp16_nodes)
        self._evaluations.append(Evaluation(part, judged.tolerance_used, judged.mismatch))
        word = "differ" if judged.mismatch else "are the same"
        used = f" ({judged.worst:.2g} times the tolerance)" if math.isfinite(judged.worst) else ""
        self._say(f"{len(self._evaluations)}: {part.mean:.0%} in float16: the results {word}{used}")
        if not judged.mismatch and (self._best is None or self._worth(fp16_graph) >= self._worth(self._best)):
            self._best = fp16_graph
        self._known[self._key(fp16_graph)] = not judged.mismatch
        return not judged.mismatch

    def _key(self, fp16_graph: Fp16Graph) -> tuple[frozenset[str], frozenset[str]]:
        """Return the cache key of a graph in this search."""
        return frozenset(self._float32_weights), frozenset(fp16_graph.fp16_nodes)

    def _worth(self, fp16_graph: Fp16Graph) -> tuple[float, int]:
        """Return the sort key of a graph: the converted fraction, then fewer weight bytes."""
        return converted_fraction(self._weights, fp16_graph.fp16_nodes).mean, -weight_bytes(fp16_graph.model)
