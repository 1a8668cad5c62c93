"""Splits without sizes on the default entry."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule


class JsepEvenSplit(Rule):
    """The outputs are empty on the default entry's build: Split without sizes, from the end of the axes, or uneven.

    So they are where a size is only known in the run.
    Mend: write the sizes; or the `onnxruntime-web/webgpu` entry.
    Source: measured on 1.30.0.
    """

    code = "jsep-even-split"
    operators = ("Split",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        sizes, axis = shape(node.inputs[0]), node.attributes.get_int("axis", 0)
        written = given(node, 1) is not None or "split" in node.attributes
        if not context.jsep or not context.on_gpu(node) or written:
            return None
        if sizes is not None and axis >= 0 and sizes[axis] % len(node.outputs) == 0:
            return None
        return self.finding(
            node, "empty outputs", "the sizes of its parts are not written", "write the sizes of the parts"
        )
