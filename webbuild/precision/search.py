"""Precision search: finds the largest part of a graph that is accurate in float16, by ranges, then groups of nodes."""

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
    """A graph that was tried: its float16 fraction, and the fraction of each output's tolerance that it used.

    `mismatch` is empty if the results are equal.
    """

    fraction: ConvertedFraction
    tolerance_used: dict[str, float]
    mismatch: str


class SearchResult(Struct, frozen=True):
    """Result of a search; `best` is None if no float16 graph gives equal results.

    `evaluations` are all graphs that were tried, in order. The search took `seconds` of wall time and
    `processor_seconds` of CPU time. `stop_reason` says why it stopped early, empty if it finished.
    """

    best: Fp16Graph | None
    fraction: ConvertedFraction
    evaluations: tuple[Evaluation, ...]
    seconds: float
    processor_seconds: float
    stop_reason: str


class PrecisionSearch:
    """A search for the largest accurate float16 part of a graph.

    Args:
        model: the float32 graph.
        table: the kernel table of the target.
        checker: compares a float16 graph with the reference.
        backend: computes in float16.
        budget: the limits.
        say: called with each line of progress.
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
        self._checker, self._backend, self._budget, self._say = checker, backend, budget, say
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
        """Run the search. With `only_full`, only the graph with all convertible nodes in float16 is tried."""
        self._say(
            f"kept in float32, because of operators or values: {format_count(len(self.plan.fp32_reasons), 'node')}"
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
        """Convert group after group to float16, the heaviest first; keep each group that leaves the results right."""
        only_weights = self._is_accurate(names)
        if only_weights is None:
            return
        if not only_weights:  # even storing the weights as float16 is too inexact
            self._float32_weights = minimize(self._weighty_nodes(), lambda some: self._is_accurate_stored(names, some))
        shares = {name: converted_fraction(self._weights, [name]).mean + 1e-3 / len(names) for name in names}

        def convert(fp16: Collection[str]) -> Collection[str] | None:
            fp32_nodes = [name for name in names if name not in fp16]
            right = self._is_accurate(fp32_nodes)
            return None if right is None else self._convert(fp32_nodes).fp16_nodes if right else ()

        grow(names, shares, convert)

    def _weighty_nodes(self) -> list[str]:
        """Return the nodes with weights that would be rounded, the lightest first: `minimize` prefers to keep these."""
        by_weight = {
            node.name or "": sum(stored_size(node, value) for value in node.inputs) for node in self.plan.model.graph
        }
        return sorted((name for name, size in by_weight.items() if size), key=lambda name: by_weight[name])

    def _is_accurate_stored(self, names: Sequence[str], float32_weights: Sequence[str]) -> bool | None:
        """Return whether results are equal with all nodes in float32, and these nodes' weights stored as float32."""
        self._float32_weights = float32_weights
        return self._is_accurate(names)

    def _convert(self, fp32_nodes: Sequence[str]) -> Fp16Graph:
        return self.plan.convert(fp32_nodes, KEPT_BY_SEARCH, float32_weights=self._float32_weights)

    def _is_accurate(self, fp32_nodes: Sequence[str]) -> bool | None:
        """Return whether results are equal with these nodes in float32; None if the budget is spent."""
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
                f"its limit of {self._budget.seconds:g} seconds was reached, so another machine may find another graph"
            )
        return bool(self._ended)

    def _evaluate(self, fp16_graph: Fp16Graph) -> bool:
        began = time.monotonic()
        verdict: AccuracyVerdict = self._checker.check(fp16_graph.model, self._backend)
        self._longest = max(self._longest, time.monotonic() - began)
        self._spent_macs += verdict.runs * self._macs
        part = converted_fraction(self._weights, fp16_graph.fp16_nodes)
        self._evaluations.append(Evaluation(part, verdict.tolerance_used, verdict.mismatch))
        word = "differ" if verdict.mismatch else "are the same"
        used = f" ({verdict.worst:.2g} times the tolerance)" if math.isfinite(verdict.worst) else ""
        self._say(f"{len(self._evaluations)}: {part.mean:.0%} in float16: the results {word}{used}")
        if not verdict.mismatch and (self._best is None or self._worth(fp16_graph) >= self._worth(self._best)):
            self._best = fp16_graph
        self._known[self._key(fp16_graph)] = not verdict.mismatch
        return not verdict.mismatch

    def _key(self, fp16_graph: Fp16Graph) -> tuple[frozenset[str], frozenset[str]]:
        """Return the cache key of a graph in this search."""
        return frozenset(self._float32_weights), frozenset(fp16_graph.fp16_nodes)

    def _worth(self, fp16_graph: Fp16Graph) -> tuple[float, int]:
        """Return the sort key of a graph: the converted fraction, then fewer weight bytes."""
        return converted_fraction(self._weights, fp16_graph.fp16_nodes).mean, -weight_bytes(fp16_graph.model)
