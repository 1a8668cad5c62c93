"""Conversion of a float32 graph to float16, except for nodes that need float32."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.float16_kernels import why_not_compiled
from webbuild.inspection.graph import prepare_graph
from webbuild.precision.castable_io import castable_io
from webbuild.precision.insert_casts import CastInserter, select_nodes
from webbuild.precision.kernel_support import unsupported_in_fp16
from webbuild.precision.lone_float16_nodes import find_lone_nodes
from webbuild.precision.mask_constants import clamp_masks
from webbuild.precision.node_names import name_nodes
from webbuild.precision.static_rules import static_fp32_reasons
from webbuild.targets.castable_indices import CastableIO
from webbuild.targets.table import KernelTable

_KEPT_AS_REQUESTED = "kept as requested"


class Fp16Graph(Struct, frozen=True):
    """A graph converted to float16 as far as possible.

    Attributes:
        model: the graph; its inputs and outputs are float32.
        casts: the number of added Casts that run in every run.
        fp32_reasons: why nodes stayed float32, by node name.
        fp16_nodes: names of the nodes that became float16.
        clamped_mask_constants: names of mask constants beyond the range of float16: they became -1e4.
    """

    model: ir.Model
    casts: int
    fp32_reasons: dict[str, str]
    fp16_nodes: tuple[str, ...]
    clamped_mask_constants: tuple[str, ...]


class ConversionPlan(Struct, frozen=True):
    """A graph that was analysed once, to be converted many times.

    `model` is a float32 copy with a name for every node. `fp32_reasons` says why nodes must stay float32.
    """

    model: ir.Model
    fp32_reasons: dict[str, str]
    clamped_mask_constants: tuple[str, ...]

    def convert(
        self,
        keep: Collection[str] = (),
        reason: str = _KEPT_AS_REQUESTED,
        *,
        stored: bool = True,
        float32_weights: Collection[str] = (),
    ) -> Fp16Graph:
        """Convert a clone to float16; the graph's inputs and outputs stay float32.

        Index arithmetic, shape computations and subgraphs are never changed.

        Args:
            keep: names of further nodes that stay float32.
            reason: why they stay float32.
            stored: whether the weights of float32 nodes are stored as float16, if only rounding changes them.
            float32_weights: names of float32 nodes with weights that stay float32 despite `stored`.
        """
        model = self.model.clone()
        convertible = convertible_nodes(model)
        fp32_reasons = {**dict.fromkeys(keep, reason), **self.fp32_reasons}
        chosen = select_nodes(model.graph, convertible, fp32_reasons)
        fp32_reasons |= {
            node.name or "": why for node in chosen if (why := why_not_compiled(node, chosen.__contains__))
        }
        fp32_reasons |= find_lone_nodes(model.graph, select_nodes(model.graph, convertible, fp32_reasons))
        chosen = select_nodes(model.graph, convertible, fp32_reasons)
        names = {node.name for node in model.graph}
        rewiring = CastInserter(model.graph, chosen, stored=stored, float32_weights=float32_weights)
        rewiring.run()
        reasons = {name: reason for name, reason in fp32_reasons.items() if name in names}
        return Fp16Graph(
            model, rewiring.casts, reasons, tuple(node.name or "" for node in chosen), self.clamped_mask_constants
        )


def clamp_model_masks(model: ir.Model) -> tuple[ir.Model, tuple[str, ...]]:
    """Return a copy with named nodes and masks clamped to float16, and the names of the clamped constants.

    The copy holds its weights in memory, so that it can run and be saved anywhere.
    """
    copy, _ = prepare_graph(model, {})
    for graph in copy.graphs():
        for name, value in graph.initializers.items():
            if isinstance(value.const_value, ir.ExternalTensor):
                value.const_value = ir.tensor(value.const_value.numpy(), name=name)
    name_nodes(copy.graph)
    return copy, tuple(clamp_masks(copy))


def plan_conversion(
    model: ir.Model, table: KernelTable | None = None, ranges: Mapping[str, str] | None = None
) -> ConversionPlan:
    """Analyse a graph once for many conversions.

    Args:
        model: a float32 graph with fixed sizes; it is not changed.
        table: the kernel table of the target; without one, kernel support is not checked.
        ranges: why nodes must stay float32 because of their measured values, by node name.
    """
    copy, masks = clamp_model_masks(model)
    convertible = convertible_nodes(copy)
    fp32_reasons = {**static_fp32_reasons(copy, convertible, table), **(ranges or {})}
    chosen = select_nodes(copy.graph, convertible, fp32_reasons)
    if table is not None:
        trial = ConversionPlan(copy, fp32_reasons, masks).convert()
        fp32_reasons |= unsupported_in_fp16(
            trial.model, [node.name or "" for node in chosen], table, measured=ranges is not None
        )
    return ConversionPlan(copy, fp32_reasons, masks)


def convertible_nodes(model: ir.Model) -> dict[ir.Node, CastableIO]:
    """Return the nodes with a float16 variant, and their inputs and outputs that can be float16."""
    opsets = model.graph.opset_imports
    castable = {}
    for node in model.graph:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain
        version = opsets.get(domain, opsets.get("ai.onnx", 1) if not domain else 1)
        if (places := castable_io(node, version)) is not None:
            castable[node] = places
    return castable
