"""Two activations behind a Conv."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.activations_apart import lost_behind


class LostActivation(Rule):
    """The answer is wrong: of two activations behind a Conv, one after the other, the engine loses the first.

    Its optimiser fuses both into the Conv, which has room for one. Relu then Sigmoid gives the Sigmoid alone, and Relu
    then x times Sigmoid(x) the SiLU alone. Tanh, Clip, LeakyRelu, HardSigmoid, HardSwish, Softplus, Elu, Gelu,
    ThresholdedRelu and Erf are fused too; PRelu, Selu, Celu, Softsign, Mish, Exp and arithmetic are not. With
    graphOptimizationLevel `disabled` it is right.
    Mend: something in between that is not fused, such as Max with 0 for Relu.
    Source: measured on 1.30.0.
    """

    code = "lost-activation"
    operators = ("Conv",)
    outcome = "wrong"
    passes = ("activations-apart",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        value = lost_behind(node)
        first = None if value is None else value.producer()
        if context.jsep or first is None or not context.on_gpu(node) or not context.on_gpu(first):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"the optimiser loses {first.op_type} between it and another activation",
            "put something in between that is not fused, such as Max with 0 for Relu",
        )
