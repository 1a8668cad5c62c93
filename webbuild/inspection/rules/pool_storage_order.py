"""MaxPool in column-major order."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class PoolStorageOrder(Rule):
    """Throws: `Using column major storage_order is not supported yet`.

    Mend: storage_order only changes the indices; leave it out.
    Source: the engine's pool kernel.
    """

    code = "pool-storage-order"
    operators = ("MaxPool",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or node.attributes.get_int("storage_order", 0) == 0:
            return None
        return self.finding(node, "throws", "storage_order is 1", "leave storage_order out")
