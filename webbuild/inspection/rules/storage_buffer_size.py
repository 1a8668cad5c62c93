"""Tensors beyond what a device binds."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.op_cost import MAX_BINDING_SIZE, MIN_BINDING_SIZE
from webbuild.inspection.rules.base import Rule
from webbuild.passes.analysis.row_parallel import enclosing_region
from webbuild.passes.rewrite import nbytes

_SPLITTABLE_OPS = ("Gather", "Gemm", "MatMul")
"""Operators whose weights the pass takes in parts."""


class StorageBufferSize(Rule):
    """A tensor is larger than what many devices bind to a shader: 128 MiB is what each must have, 2 GiB the most.

    The run throws there: `exceeding maxStorageBufferBindingSize`, or runs out of memory.
    Fix: split-large-weights takes the weights of a Gather, a MatMul or a Gemm in parts, rows-in-parts the scores of
    attention; else a smaller input, or broadcasting instead of Tile and Expand.
    Source: the WebGPU specification; onnxruntime #25195.
    """

    code = "storage-buffer-size"
    severity = "warning"
    passes = ("split-large-weights", "tile-attention")

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node):
            return None
        tensors = {value: nbytes(value) or 0 for value in (*node.inputs, *node.outputs) if value is not None}
        large = max(tensors, key=lambda value: tensors[value], default=None)
        if large is None or tensors[large] <= MIN_BINDING_SIZE:
            return None
        return self.finding(
            node,
            "throws" if tensors[large] > MAX_BINDING_SIZE else "throws on many phones",
            f"'{large.name}' takes {tensors[large] / 2**20:.0f} MiB; every device binds 128, none more than 2048",
            "make its input smaller, or compute it in parts",
            severity="error" if tensors[large] > MAX_BINDING_SIZE else "warning",
            mended_by=self._fixing_pass(node, large, context),
        )

    def _fixing_pass(self, node: ir.Node, large: ir.Value, context: InspectionContext) -> str:
        weights, rows = self.passes
        if node.op_type in _SPLITTABLE_OPS and context.is_constant(large):
            return weights
        return rows if enclosing_region(node, context.model.graph, MIN_BINDING_SIZE) is not None else ""
