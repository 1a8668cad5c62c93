"""Transposed convolutions of one output a group."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule
from webbuild.passes.transposed_outputs import is_wrong


class TransposedSingleOutput(Rule):
    """The answer is wrong: a ConvTranspose of several groups, one output and an even number of inputs each.

    The kernel reads two or four weights at once and counts them one by one: all groups but the first get the weights
    of others.
    Mend: a second output of zeros in each group, cut off behind.
    Source: measured on 1.30.0: 2, 4, 6, 8 and 10 inputs a group are wrong; odd numbers, one group, and two or three
    outputs are right.
    """

    code = "transposed-single-output"
    operators = ("ConvTranspose",)
    outcome = "wrong"
    passes = ("transposed-outputs",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        weights, group = shape(given(node, 1)), node.attributes.get_int("group", 1)
        if not context.on_gpu(node) or context.jsep or weights is None or not is_wrong(weights, group):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"each of its {group} groups has one output and {weights[0] // group} inputs",
            "give each group a second output of zeros, and cut it off behind",
        )
