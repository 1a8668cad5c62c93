"""Resize with a filter against aliasing."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule


class ResizeAntialias(Rule):
    """The run throws: `The antialias attribute of Resize operator is NOT implemented`.

    PyTorch's interpolate(antialias=True) and torchvision's Resize export it.
    Mend: two products with constant matrices; or resize before the model.
    Source: measured on all versions and builds.
    """

    code = "resize-antialias"
    operators = ("Resize",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or node.attributes.get_int("antialias", 0) == 0:
            return None
        return self.finding(node, "throws", "the GPU kernel does not implement antialias", "export without antialias")
