"""Transposed convolutions over volumes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class ConvTranspose3D(Rule):
    """The run throws: `Only Conv2d or Conv1d are supported`.

    Mend: with a kernel as large as its stride, a MatMul and a Reshape; else zeros between the cells and a Conv.
    Source: measured on 1.24.3 to 1.31.0-dev; onnxruntime #28356.
    """

    code = "conv-transpose-3d"
    operators = ("ConvTranspose",)
    passes = ("transposed-volumes",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or rank(node.inputs[0]) != 5:
            return None
        return self.finding(node, "throws", "the GPU kernel takes pictures and lines, no volumes", "write it as a Conv")
