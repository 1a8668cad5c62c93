"""Tensors beyond what a device binds."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.costs import LEAST_BINDING, MOST_BINDING
from webbuild.inspection.rules._base import Rule
from webbuild.passes._graph import nbytes
from webbuild.passes._row_region import region_around

_CUT = ("Gather", "Gemm", "MatMul")
"""Operators whose weights the pass takes in parts."""


class LargeTensor(Rule):
    """A tensor is larger than what many devices bind to a shader: 128 MiB is what each must have, 2 GiB the most.

    The run throws there: `exceeding maxStorageBufferBindingSize`, or runs out of memory.
    Mend: split-buffers takes the weights of a Gather, a MatMul or a Gemm in parts, rows-in-parts the scores of
    attention; else a smaller input, or broadcasting instead of Tile and Expand.
    Source: the WebGPU specification; onnxruntime #25195.
    """

    code = "large-tensor"
    severity = "warning"
    passes = ("split-buffers", "rows-in-parts")

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node):
            return None
        tensors = {value: nbytes(value) or 0 for value in (*node.inputs, *node.outputs) if value is not None}
        large = max(tensors, key=lambda value: tensors[value], default=None)
        if large is None or tensors[large] <= LEAST_BINDING:
            return None
        return self.finding(
            node,
            "throws" if tensors[large] > MOST_BINDING else "throws on many phones",
            f"'{large.name}' takes {tensors[large] / 2**20:.0f} MiB; every device binds 128, none more than 2048",
            "make its input smaller, or compute it in parts",
            severity="error" if tensors[large] > MOST_BINDING else "warning",
            mended_by=self._mend(node, large, context),
        )

    def _mend(self, node: ir.Node, large: ir.Value, context: Context) -> str:
        weights, rows = self.passes
        if node.op_type in _CUT and context.is_known(large):
            return weights
        return rows if region_around(node, context.model.graph, LEAST_BINDING) is not None else ""
