"""Two activations behind a Conv."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.activations_apart import FUSED, is_lost


class LostActivation(Rule):
    """The answer is wrong: of two activations behind a Conv, one after the other, the engine loses the first.

    Its optimiser fuses both into the Conv, which has room for one. Relu then Sigmoid gives the Sigmoid alone, and Relu
    then x times Sigmoid(x) the SiLU alone. With graphOptimizationLevel `disabled` it is right.
    Mend: something in between that is not fused, such as Max with 0 for Relu.
    Source: measured on 1.30.0.
    """

    code = "lost-activation"
    operators = FUSED
    outcome = "wrong"
    passes = ("activations-apart",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        before = node.inputs[0]
        producer = None if before is None else before.producer()
        if context.jsep or producer is None or not is_lost(node):
            return None
        if not context.on_gpu(producer) or not context.on_gpu(node):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"the optimiser loses {node.op_type} between a Conv and another activation",
            "put something in between that is not fused, such as Max with 0 for Relu",
        )
