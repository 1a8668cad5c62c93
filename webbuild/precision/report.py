"""In which precision a model's graphs compute, and why: what a search found, or that none was asked for."""

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
    """How much of what could be float16 is: of the bytes of weights, of the bytes computed, of the multiplications."""

    stored: float
    computed: float
    flops: float

    @property
    def mean(self) -> float:
        """One number for a plot: half bytes, half multiplications."""
        return ((self.stored + self.computed) / 2 + self.flops) / 2


class SearchStep(Struct, frozen=True, rename="camel"):
    """A graph that was tried: how much of it was float16, and the part of each output's tolerance that it used.

    `reason` is empty where every answer is the same; else it says which was not, first. A part is None where a
    result has no match.
    """

    fraction: ConvertedFraction
    tolerance_used: dict[str, float | None]
    reason: str


class Fp32Nodes(Struct, frozen=True, rename="camel"):
    """Nodes that stayed float32 for one reason, by name, and how many there are of each operator."""

    reason: str
    operators: dict[str, int]
    nodes: tuple[str, ...]


class PrecisionReport(Struct, frozen=True, rename="camel"):
    """What a search for half precision found.

    Attributes:
        requested: `fp16`, `mixed` or `auto`.
        precision: of the graph that came of it, fp32 where none did.
        reason: what came of it, in a sentence.
        fp16_backend: what computed in float16, and why that.
        nodes: of the graph, the Casts left out.
        fp16_nodes: how many of them are float16.
        casts: Casts that run in every run.
        fraction: how much is float16.
        weights: bytes of the weights before and after.
        fp32_nodes: what stayed float32, and why.
        masks: constants that stood for a mask, were beyond float16, and became -1e4.
        steps: every graph that was tried, in order.
        stop_reason: why the search went no further, empty where it was done.
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
        """The part of each output's tolerance that the graph uses which came of it."""
        right = [each for each in self.steps if not each.reason]
        return max(right, key=lambda each: each.fraction.mean).tolerance_used if right else {}


def precision(model: ir.Model, searched: PrecisionReport | None = None) -> str:
    """Return in a sentence or two which floating-point numbers a graph's weights are, and why."""
    if searched is not None and searched.precision != "fp32":
        return _REDUCED.format(halved=searched.fp16_nodes, nodes=searched.nodes, casts=searched.casts)
    if searched is not None:
        return f"float32: {searched.reason}"
    kinds = Counter(value.dtype.name for value in model.graph.initializers.values() if value.dtype is not None)
    floats = {name: count for name, count in kinds.items() if "FLOAT" in name or name == "DOUBLE"}
    half = floats.get("FLOAT16", 0) + floats.get("BFLOAT16", 0)
    return _HALF.format(count=half, all=sum(floats.values())) if half else _FULL
