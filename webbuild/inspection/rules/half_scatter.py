"""Scattering with a sum, in float16."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype
from webbuild.inspection.rules._base import Rule


class HalfScatter(Rule):
    """The run throws: `Reduction is not supported for data type`, for Scatter with a reduction in float16.

    Mend: keep the node in float32.
    Source: the engine's kernels.
    """

    code = "half-scatter"
    operators = ("ScatterND", "ScatterElements")

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or dtype(node.inputs[0]) != "float16":
            return None
        if node.attributes.get_string("reduction", "none") == "none":
            return None
        return self.finding(node, "throws", "there is no sum of float16 in memory", "cast to float around it")
