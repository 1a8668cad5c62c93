"""The second output of MaxPool."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, is_used
from webbuild.inspection.rules._base import Rule


class PoolIndices(Rule):
    """The run throws: `The Indices output is not supported yet`.

    Mend: for unpooling, compare with the enlarged maximum instead: Equal of the input and its Resize by nearest.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "pool-indices"
    operators = ("MaxPool",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or len(node.outputs) < 2 or not is_used(node.outputs[1]):
            return None
        return self.finding(
            node, "throws", "the GPU kernel of MaxPool gives no indices", "replace the unpooling that needs them"
        )
