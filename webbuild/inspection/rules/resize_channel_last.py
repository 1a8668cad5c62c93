"""Smooth resizing of pictures with their channels last."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, shape
from webbuild.inspection.rules._base import Rule


class ResizeChannelLast(Rule):
    """The answer is wrong: the kernel takes the last two axes for height and width, and here they are not.

    A linear or cubic Resize by [1, s, s, 1] is what exports of TensorFlow and Keras have. Nearest is right.
    Mend: Transpose to channels first, Resize, Transpose back.
    Source: measured on all versions and builds.
    """

    code = "resize-channel-last"
    operators = ("Resize",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        before, after = shape(node.inputs[0]), shape(node.outputs[0])
        if not context.on_gpu(node) or node.attributes.get_string("mode", "nearest") == "nearest":
            return None
        if before is None or after is None or len(before) != 4 or len(after) != 4:
            return None
        if before[0] != after[0] or before[3] != after[3] or before[1] == after[1]:
            return None
        return self.finding(
            node,
            "wrong answer",
            f"it resizes {before} to {after}, as if the channels came first",
            "transpose to channels first before it, and back behind it",
        )
