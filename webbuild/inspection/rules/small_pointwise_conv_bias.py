"""Small 1x1 convolutions with a bias, before 1.30."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, input_value, known_shape
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class SmallPointwiseConvBias(Rule):
    """The answer is wrong: a 1x1 Conv with a bias, from fewer than 8 channels to fewer than 8, before 1.30.0.

    Fix: the engine from 1.30.0 on, or the bias as an Add.
    Source: measured on 1.24.3, 1.27.0, 1.29.0; right on 1.30.0. onnxruntime #29651.
    """

    code = "small-pointwise-conv-bias"
    operators = ("Conv",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        weight = known_shape(input_value(node, 1))
        if not context.on_gpu(node) or context.engine_version >= (1, 30) or weight is None:
            return None
        if input_value(node, 2) is None or any(size != 1 for size in weight[2:]) or max(weight[:2]) >= 8:
            return None
        return self.finding(
            node,
            "wrong answer",
            "its bias is lost: a 1x1 Conv of fewer than 8 channels",
            "use the engine from 1.30.0 on",
        )
