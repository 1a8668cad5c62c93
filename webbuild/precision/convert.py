"""A float32 graph made float16, except where that would be wrong."""

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

KEPT_AS_REQUESTED = "kept as requested"


class Fp16Graph(Struct, frozen=True):
    """A graph in which what can be is float16.

    Attributes:
        model: the graph; its inputs and outputs are float32.
        casts: Casts that run in every run, besides those that were there.
        fp32_reasons: why nodes of float32 stayed so, by name.
        fp16_nodes: names of the nodes that became float16.
        clamped_mask_constants: names of constants that stood for a mask and were beyond float16: they became -1e4.
    """

    model: ir.Model
    casts: int
    fp32_reasons: dict[str, str]
    fp16_nodes: tuple[str, ...]
    clamped_mask_constants: tuple[str, ...]


class ConversionPlan(Struct, frozen=True):
    """A graph that was looked at once, to be converted many times.

    `model` is a copy of float32, every node with a name. `candidates` are the nodes that could be float16 by their
    operator, by name; `fp32_reasons` says why some of them, and others, must not be.
    """

    model: ir.Model
    candidates: tuple[str, ...]
    fp32_reasons: dict[str, str]
    clamped_mask_constants: tuple[str, ...]

    def convert(
        self,
        keep: Collection[str] = (),
        reason: str = KEPT_AS_REQUESTED,
        *,
        stored: bool = True,
        float32_weights: Collection[str] = (),
    ) -> Fp16Graph:
        """Convert a clone to float16; the graph's inputs and outputs stay float32.

        Index arithmetic, the computation of shapes, and inner graphs are never touched.

        Args:
            keep: names of nodes that stay float32 besides those that have to.
            reason: why they do.
            stored: whether the weights of nodes that stay float32 are kept as float16, where that changes them by
                rounding only.
            float32_weights: names of nodes whose weights are not, where they stay float32.
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
    """Return a copy whose nodes have names and whose masks are within float16, and the names of those constants.

    It holds its numbers itself, so that it can be run and written anywhere.
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
    """Look at a graph once.

    Args:
        model: of float32 with fixed sizes; it stays as it is.
        table: what the target can do; without one nothing is known of its kernels.
        ranges: why nodes must stay float32 by the numbers that went through them, by name.
    """
    copy, masks = clamp_model_masks(model)
    convertible = convertible_nodes(copy)
    fp32_reasons = {**static_fp32_reasons(copy, convertible, table), **(ranges or {})}
    chosen = select_nodes(copy.graph, convertible, fp32_reasons)
    if table is not None:
        trial = ConversionPlan(copy, (), fp32_reasons, masks).convert()
        fp32_reasons |= unsupported_in_fp16(
            trial.model, [node.name or "" for node in chosen], table, measured=ranges is not None
        )
    return ConversionPlan(copy, tuple(node.name or "" for node in convertible), fp32_reasons, masks)


def convertible_nodes(model: ir.Model) -> dict[ir.Node, CastableIO]:
    """Return the nodes that have a form of float16, and which of their values that is about."""
    opsets = model.graph.opset_imports
    castable = {}
    for node in model.graph:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain
        version = opsets.get(domain, opsets.get("ai.onnx", 1) if not domain else 1)
        if (places := castable_io(node, version)) is not None:
            castable[node] = places
    return castable
