"""MultiHeadAttention with a mask of keys, or packed."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given
from webbuild.inspection.rules._base import Rule


class MaskedAttention(Rule):
    """The run throws: the GPU kernel of MultiHeadAttention takes no key_padding_mask.

    Mend: add the mask to the scores, as attention_bias; or export without fusion.
    Source: the engine's kernel: `input key_padding_mask not implemented for webgpu`.
    """

    code = "masked-attention"
    operators = ("MultiHeadAttention",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or given(node, 4) is None:
            return None
        return self.finding(
            node, "throws", "its GPU kernel takes no key_padding_mask", "give the mask as attention_bias"
        )
