"""Convolutions over volumes in groups."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class GroupedConv3D(Rule):
    """The run throws: `Conv3D does not support grouped convolution`.

    Mend: split the channels, convolve each group, and concatenate; or a sum of 2-D convolutions over the depth.
    Source: measured on 1.30.0.
    """

    code = "grouped-conv-3d"
    operators = ("Conv",)
    passes = ("grouped-volumes",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or rank(node.inputs[0]) != 5 or node.attributes.get_int("group", 1) == 1:
            return None
        return self.finding(
            node, "throws", "the GPU kernel convolves volumes in one group only", "convolve each group on its own"
        )
