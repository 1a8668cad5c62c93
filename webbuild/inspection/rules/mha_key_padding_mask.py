"""MultiHeadAttention with a mask of keys, or packed."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, input_value
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class MhaKeyPaddingMask(Rule):
    """The run throws: the GPU kernel of MultiHeadAttention takes no key_padding_mask.

    Fix: add the mask to the scores, as attention_bias; or export without fusion.
    Source: the engine's kernel: `input key_padding_mask not implemented for webgpu`.
    """

    code = "mha-key-padding-mask"
    operators = ("MultiHeadAttention",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or input_value(node, 4) is None:
            return None
        return self.finding(
            node, "throws", "its GPU kernel takes no key_padding_mask", "give the mask as attention_bias"
        )
