"""Kernels that throw where nothing is found."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule
from webbuild.inspection.rules.empty_input import EmptyInput
from webbuild.inspection.rules.empty_reduction import EmptyReduction


class MayBeEmpty(Rule):
    """The run throws where nothing is found: the data decide the length, and this kernel takes no empty tensor.

    It works with every picture that has something in it, and fails with the first that has nothing.
    Mend: fixed sizes before it; webbuild does so for non-maximum suppression.
    Source: measured on 1.24.3 to 1.31.0-dev; ultralytics #18867.
    """

    code = "may-be-empty"
    operators = (*EmptyInput.operators, *EmptyReduction.operators)
    passes = ("fixed-shape-nms",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or node.inputs[0] not in context.uncertain:
            return None
        if node.op_type == "TopK" and rank(node.inputs[0]) == 1 and not context.jsep:
            return None  # it chooses none of none, at which the native build returns at once
        return self.finding(
            node,
            "throws where nothing is found",
            f"the data decide how long its input is, and {node.op_type} takes no empty tensor",
            "take a fixed number of rows with TopK before it",
        )
