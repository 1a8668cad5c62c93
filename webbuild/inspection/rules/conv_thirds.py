"""Convolutions of channels in threes."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule
from webbuild.passes.conv_channels import is_wrong


class ConvThirds(Rule):
    """The answer is wrong: a Conv from 6, 9, 15 ... channels to a multiple of 4 reads the wrong weights.

    The kernel takes channels in threes where their number is a multiple of 3 and not of 4. From 3 channels, in groups,
    to another number of channels, and where it is but a product of matrices it is right: 1x1 without stride or pads, or
    as large as its input.
    Mend: pad the channels of the input and of the weights with zeros to a multiple of 4.
    Source: measured on 1.30.0.
    """

    code = "conv-thirds"
    operators = ("Conv",)
    outcome = "wrong"
    passes = ("conv-channels",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        weight, sizes = shape(given(node, 1)), shape(node.inputs[0])
        if not context.on_gpu(node) or context.jsep or weight is None or not is_wrong(weight, node):
            return None
        if sizes is not None and sizes[2:] == weight[2:] and not any(node.attributes.get_ints("pads", [])):
            return None
        return self.finding(
            node, "wrong answer", f"it takes {weight[1]} channels in threes", "pad the channels to a multiple of 4"
        )
