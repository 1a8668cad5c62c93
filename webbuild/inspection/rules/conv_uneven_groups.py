"""Grouped convolutions whose groups share a vector."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule
from webbuild.passes.conv_groups import is_wrong


class ConvUnevenGroups(Rule):
    """The answer is wrong: some outputs of a grouped Conv are computed from the inputs of the group before.

    The kernel computes 4 outputs at once, or 2, and the outputs of a group are no multiple of that: 6 of 12.
    Mend: compute the last group on its own.
    Source: measured on 1.30.0.
    """

    code = "conv-uneven-groups"
    operators = ("Conv",)
    outcome = "wrong"
    passes = ("conv-groups",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        weight, group = shape(given(node, 1)), node.attributes.get_int("group", 1)
        if not context.on_gpu(node) or weight is None or not is_wrong(weight, group):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"{weight[0] // group} outputs of {weight[0]} a group: some are computed across the border of groups",
            "compute the last group on its own",
        )
