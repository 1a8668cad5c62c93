"""Masks of an Attention that end before its keys do."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.kernels import STANDARD
from webbuild.inspection.rules._base import Rule

_KEY, _MASK, _PAST = 1, 3, 4


class ShortAttentionMask(Rule):
    """The run throws: the mask of an Attention is shorter than its keys, those of before among them.

    `inconsistent total_sequence_length (between attn_mask and past_key and past_value)`, from native ONNX Runtime too,
    though opset 24 allows it.
    Mend: attention-in-parts pads it; or pad the mask with minus infinity, or False, to the number of keys.
    Source: measured on 1.30.0.
    """

    code = "short-attention-mask"
    operators = ("Attention",)
    passes = ("attention-in-parts",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        key, mask, past = (shape(given(node, index)) for index in (_KEY, _MASK, _PAST))
        if node.domain not in STANDARD or not key or not mask or (given(node, _PAST) is not None and not past):
            return None
        keys = key[-2] + (past[-2] if past else 0)
        if mask[-1] == keys:
            return None
        return self.finding(
            node, "throws", f"its mask is for {mask[-1]} keys of {keys}", f"pad the mask to {keys} columns"
        )
