from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement_at_opset
from webbuild.passes.analysis.kernels_without_fix import known_kernel_error
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.graphs import graphs_of
from webbuild.passes.opset.node_downgrade import downgrade_blocker, downgrade_node
from webbuild.passes.rewrite import standard_nodes
from webbuild.targets.table import KernelPlacement

_MIN_OPSET = 13
"""Oldest target opset: before it, too many operators have a different meaning."""

_DECOMPOSED_BELOW = {"RoiAlign": 20, "DeformConv": 20}
"""Operators that other passes decompose to GridSample, and the first opset in which GridSample has no kernel."""

_RANK: dict[KernelPlacement | None, int] = {"gpu": 2, "cpu": 1, None: 1, "none": 0}


class DowngradeOpset(Pass):
    """Opset of the model -> the older opset in which most of its operators have a GPU kernel.

        opset 22: MaxPool, Elu (CPU)  ->  opset 21: MaxPool, Elu (GPU)
        Gelu(x)                       ->  0.5 x (1 + erf(x / sqrt(2)))       below opset 20

    Why: a kernel is registered for a range of versions of an operator. Opset 22 gave MaxPool, ConvTranspose, Elu, Sin
    and many more a new version that only adds types, and GridSample got one in opset 20. The kernel is registered only
    up to the old version, so the node runs on the CPU, with copies each way.

    How: ONNX's schemas say for every node whether an older version takes the same inputs, attributes and types.

    - An opset in which a node would compute something else is excluded.
    - An opset in which a node loses its kernel, or gets one that throws, is excluded too.
    - Of the others, the opset with the most nodes on the GPU is chosen.
    - Gelu, new in opset 20, is decomposed into older operators.

    Limits: not below opset 13, and no model with functions. Exact except for Gelu, which is accurate to 1e-6.

    Source: ONNX's schemas and changelog; Gelu is Hendrycks and Gimpel (arXiv 1606.08415).
    """

    code = "downgrade-opset"
    after = ("fold-constants",)
    target = "webgpu"
    scope = "whole model"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        current = model.graph.opset_imports.get("", 0)
        if options.table is None or model.functions:
            return []
        tried = {opset: _gain(model, options, current, opset) for opset in range(current - 1, _MIN_OPSET - 1, -1)}
        gains = {opset: gain for opset, gain in tried.items() if gain is not None}
        best = max(gains, key=lambda opset: (gains[opset], opset), default=None)
        if best is None or gains[best] <= 0:
            return []
        _downgrade(model, current, best)
        return [self.applied("graph", f"opset {current} to {best}: {gains[best]} more nodes on the GPU")]


def _gain(model: ir.Model, options: PassOptions, current: int, opset: int) -> int | None:
    """Return how many more nodes run on the GPU in an opset, None if the opset is excluded."""
    gain = 0
    for node in standard_nodes(model):
        if downgrade_blocker(node, current, opset) is not None:
            return None
        before, after = placement_at_opset(node, current, options), placement_at_opset(node, opset, options)
        if node.op_type == "Gelu" and opset < 20:
            after = before
        if opset < _DECOMPOSED_BELOW.get(node.op_type, 0) <= current:
            after = "gpu"
        if _RANK[after] < _RANK[before]:
            return None
        if after == "gpu" != before and known_kernel_error(model, node, options) is not None:
            return None
        gain += (after == "gpu") - (before == "gpu")
    return gain


def _downgrade(model: ir.Model, current: int, opset: int) -> None:
    for node in standard_nodes(model):
        downgrade_node(node, current, opset)
    for graph in graphs_of(model):
        graph.opset_imports[""] = opset
