"""Largest numbers of a vector on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, shape
from webbuild.inspection.rules._base import Rule


class JsepVector(Rule):
    """The answer is 0 on the default entry's build: ArgMax and ArgMin of a vector.

    Mend: give it a second axis; or the `onnxruntime-web/webgpu` entry, which is right.
    Source: measured on 1.30.0.
    """

    code = "jsep-vector"
    operators = ("ArgMax", "ArgMin")
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        sizes = shape(node.inputs[0])
        if not context.jsep or not context.on_gpu(node) or sizes is None or len(sizes) != 1 or sizes[0] < 2:
            return None
        return self.finding(node, "wrong answer", f"{node.op_type} of a vector gives 0", "give it a second axis")
