"""Conversion of a model from before opset 11 to opset 11."""

from __future__ import annotations

from collections.abc import Container

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement_at_opset
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.opset.raise_opset import opset_writers, write_opset
from webbuild.passes.rewrite import standard_nodes

_TARGET_OPSET = 11
"""The first opset in which Clip, Resize and ScatterElements have GPU kernels."""
_GAINING = ("Clip", "Scatter", "Upsample", "Resize")
"""Operators that have another form, without a kernel, before opset 11."""


class UpgradeOpset(Pass):
    """Opset 7 to 10 -> opset 11, in which more operators have a GPU kernel.

        opset 7 to 10                 ->  opset 11
        Clip<min, max>(x)             ->  Clip(x, min, max)
        Scatter<axis>(x, i, u)        ->  ScatterElements<axis>(x, i, u)
        Upsample(x, s)                ->  Resize<asymmetric, floor>(x, -, s)
        Slice<axes, starts, ends>(x)  ->  Slice(x, starts, ends, axes)

    Why: before opset 11 the bounds of Clip were attributes, ScatterElements was called Scatter, and Resize was called
    Upsample. None has a GPU kernel in its old form, and ReLU6 is a Clip: a MobileNet of that time copies to the CPU and
    back at every layer.

    How: nodes with the same meaning in opset 11, by ONNX's schemas, stay. The pass's own rules convert Clip, Scatter,
    Upsample and Resize, because onnx.version_converter changes the coordinates of Resize. That converter converts all
    other changed nodes, one at a time.

    Limits: if a node cannot be converted to opset 11, the model is not converted. Exact.
    """

    code = "upgrade-opset"
    after = ("fold-constants",)
    target = "webgpu"
    scope = "whole model"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Convert the model if every node can be converted, and at least one gains a GPU kernel."""
        current = model.graph.opset_imports.get("", 0)
        if options.table is None or model.functions or not 0 < current < _TARGET_OPSET:
            return []
        nodes = list(standard_nodes(model))
        gaining = sum(_gains(node, current, options) for node in nodes)
        if not gaining:
            return []
        writers = opset_writers(model, _TARGET_OPSET)
        for node in nodes:
            if (node in writers and writers[node] is None) or _loses_kernel(node, writers, current, options):
                reason = "loses its kernel in" if node not in writers else "cannot be converted to"
                return [self.skipped("graph", f"{node.op_type} '{node.name}' {reason} opset {_TARGET_OPSET}")]
        write_opset(model, _TARGET_OPSET, writers)
        return [self.applied("graph", f"opset {current} to {_TARGET_OPSET}: {gaining} more nodes on the GPU")]


def _gains(node: ir.Node, current: int, options: PassOptions) -> bool:
    """Whether a node has a GPU kernel in the new opset only."""
    if placement_at_opset(node, current, options) == "gpu":
        return False
    return node.op_type in _GAINING or placement_at_opset(node, _TARGET_OPSET, options) == "gpu"


def _loses_kernel(node: ir.Node, writers: Container[ir.Node], current: int, options: PassOptions) -> bool:
    before, after = (placement_at_opset(node, opset, options) for opset in (current, _TARGET_OPSET))
    return node not in writers and before == "gpu" != after
