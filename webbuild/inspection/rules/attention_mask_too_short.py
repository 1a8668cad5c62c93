"""Masks of an Attention that end before its keys do."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, input_value, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.kernels import STANDARD_DOMAINS
from webbuild.inspection.rules.base import Rule

_KEY, _MASK, _PAST = 1, 3, 4


class AttentionMaskTooShort(Rule):
    """The run throws: the mask of an Attention is shorter than its keys, those of before among them.

    `inconsistent total_sequence_length (between attn_mask and past_key and past_value)`, from native ONNX Runtime too,
    though opset 24 allows it.
    Fix: attention-in-parts pads it; or pad the mask with minus infinity, or False, to the number of keys.
    Source: measured on 1.30.0.
    """

    code = "attention-mask-too-short"
    operators = ("Attention",)
    passes = ("decompose-attention",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        key, mask, past = (known_shape(input_value(node, index)) for index in (_KEY, _MASK, _PAST))
        if (
            node.domain not in STANDARD_DOMAINS
            or not key
            or not mask
            or (input_value(node, _PAST) is not None and not past)
        ):
            return None
        keys = key[-2] + (past[-2] if past else 0)
        if mask[-1] == keys:
            return None
        return self.finding(
            node, "throws", f"its mask is for {mask[-1]} keys of {keys}", f"pad the mask to {keys} columns"
        )
