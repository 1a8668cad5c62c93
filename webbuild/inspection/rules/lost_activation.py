"""Two activations behind a Conv."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes._graph import users

_FUSED = ("Relu", "Sigmoid", "Tanh", "Clip", "LeakyRelu", "HardSigmoid")


class LostActivation(Rule):
    """The answer is wrong: of two activations behind a Conv, one after the other, the engine loses the first.

    Its optimiser fuses both into the Conv, which has room for one. Relu then Sigmoid gives the Sigmoid alone, and Relu
    then x times Sigmoid(x) the SiLU alone. With graphOptimizationLevel `disabled` it is right.
    Mend: something in between that is not fused, such as Max with 0 for Relu.
    Source: measured on 1.30.0.
    """

    code = "lost-activation"
    operators = _FUSED
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        before = node.inputs[0]
        producer = None if before is None else before.producer()
        if context.jsep or producer is None or producer.op_type != "Conv" or not context.on_gpu(producer):
            return None
        if not context.on_gpu(node) or not _only(before, 1) or not _another(node.outputs[0]):
            return None
        return self.finding(
            node,
            "wrong answer",
            f"the optimiser loses {node.op_type} between a Conv and another activation",
            "put something in between that is not fused, such as Max with 0 for Relu",
        )


def _only(value: ir.Value | None, readers: int) -> bool:
    return value is not None and len(users(value)) == readers and not value.is_graph_output()


def _another(value: ir.Value) -> bool:
    """Whether one more activation is all that reads a value, or x times Sigmoid(x)."""
    readers = sorted(users(value), key=lambda each: each.op_type)
    if _only(value, 1):
        return readers[0].op_type in _FUSED
    if not _only(value, 2) or [each.op_type for each in readers] != ["Mul", "Sigmoid"]:
        return False
    product, sigmoid = readers
    return sigmoid.outputs[0] in product.inputs
