"""MaxPool in column-major order."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class MaxPoolStorageOrder(Rule):
    """Throws: `Using column major storage_order is not supported yet`.

    Fix: storage_order only changes the indices; leave it out.
    Source: the engine's pool kernel.
    """

    code = "maxpool-storage-order"
    operators = ("MaxPool",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or node.attributes.get_int("storage_order", 0) == 0:
            return None
        return self.finding(node, "throws", "storage_order is 1", "leave storage_order out")
