"""Precision report: the precision of a model's graphs and the reason, with the result of a search if there was one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.manifest.manifest import Precision

if TYPE_CHECKING:
    import onnx_ir as ir

_FULL = (
    "float32, as exported. float16 has three digits and ends at 65,504, so it is used only on request: "
    "webbuild pack --precision auto finds the nodes that can be float16 without changing a result, and proves it."
)
_HALF = "{count} of {all} weights are float16, as exported. An adapter without shader-f16 cannot run them."
_REDUCED = (
    "On adapters with shader-f16: {halved} of {nodes} nodes in float16, {casts} Casts between float16 and float32. The "
    "reasons for the other nodes are below. On other adapters: float32, as exported."
)


class ConvertedFraction(Struct, frozen=True, rename="camel"):
    """The float16 fraction of the convertible nodes: of weight bytes, of activation bytes, of multiplications."""

    stored: float
    computed: float
    flops: float

    @property
    def mean(self) -> float:
        """A single number for plots: half bytes, half multiplications."""
        return ((self.stored + self.computed) / 2 + self.flops) / 2


class SearchStep(Struct, frozen=True, rename="camel"):
    """A graph that was tried: its float16 fraction, and the fraction of each output's tolerance that it used.

    `reason` is empty if all results are equal, else it describes the first difference. A used fraction is None if a
    result has no match.
    """

    fraction: ConvertedFraction
    tolerance_used: dict[str, float | None]
    reason: str


class Fp32Nodes(Struct, frozen=True, rename="camel"):
    """The names of nodes that stayed float32 for one reason, and their number by operator."""

    reason: str
    operators: dict[str, int]
    nodes: tuple[str, ...]


class PrecisionReport(Struct, frozen=True, rename="camel"):
    """Result of a search for half precision.

    Attributes:
        requested: `fp16`, `mixed` or `auto`.
        precision: the precision of the resulting graph, fp32 if there is none.
        reason: the result, in a sentence.
        fp16_backend: the backend that computed float16, and why it was chosen.
        nodes: the number of nodes of the graph, without the added Casts.
        fp16_nodes: the number of float16 nodes.
        casts: the number of Casts that run in every run.
        fraction: the float16 fraction.
        weights: the bytes of the weights before and after.
        fp32_nodes: the nodes that stayed float32, and why.
        masks: mask constants beyond the range of float16, which became -1e4.
        steps: every graph that was tried, in order.
        stop_reason: why the search stopped early, empty if it finished.
    """

    requested: str
    precision: Precision
    reason: str
    fp16_backend: str
    nodes: int
    fp16_nodes: int
    casts: int
    fraction: ConvertedFraction
    weights: tuple[int, int]
    fp32_nodes: tuple[Fp32Nodes, ...]
    masks: tuple[str, ...]
    steps: tuple[SearchStep, ...]
    stop_reason: str

    @property
    def tolerance_used(self) -> dict[str, float | None]:
        """The fraction of each output's tolerance that the resulting graph uses."""
        right = [each for each in self.steps if not each.reason]
        return max(right, key=lambda each: each.fraction.mean).tolerance_used if right else {}


def precision(model: ir.Model, searched: PrecisionReport | None = None) -> str:
    """Return one or two sentences on the floating-point type of a graph's weights, and why."""
    if searched is not None and searched.precision != "fp32":
        return _REDUCED.format(halved=searched.fp16_nodes, nodes=searched.nodes, casts=searched.casts)
    if searched is not None:
        return f"float32: {searched.reason}"
    kinds = Counter(value.dtype.name for value in model.graph.initializers.values() if value.dtype is not None)
    floats = {name: count for name, count in kinds.items() if "FLOAT" in name or name == "DOUBLE"}
    half = floats.get("FLOAT16", 0) + floats.get("BFLOAT16", 0)
    return _HALF.format(count=half, all=sum(floats.values())) if half else _FULL
