"""More tensors than a shader can bind."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class TooManyParts(Rule):
    """A shader binds a limited number of tensors, 8 on many devices and 10 on most.

    Split into that many parts throws, `Too many storage buffers in shader`. The default entry's build asks for 8 on
    every device: Split into 8 and Concat of 8 answer zeros there.
    An Einsum of so many operands throws too.
    Mend: split and join in two steps; an Einsum is left to the CPU.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "too-many-parts"
    operators = ("Split", "Concat", "Einsum")
    passes = ("split-tree",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        parts = len(node.outputs if node.op_type == "Split" else node.inputs)
        if not context.on_gpu(node) or parts < 8 or (node.op_type == "Concat" and not context.jsep):
            return None
        return self.finding(
            node,
            "wrong answer" if context.jsep else "throws" if parts > 9 else "throws on devices that bind 8",
            f"{parts} parts and one whole are more tensors than a shader binds",
            "split or join in two steps",
            outcome="wrong" if context.jsep else "throws",
            severity="error" if parts > 9 or context.jsep else "warning",
            mended_by="" if node.op_type == "Einsum" else None,
        )
