from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant


class GuardMaskedSoftmax(Decomposition):
    """Where(IsNaN(Softmax(x)), 0, Softmax(x)) -> Where(alive, Softmax(Where(alive, x, 0)), 0), alive = row max > -inf.

    Why: PyTorch's attention returns zeros for a query whose keys are all masked, a row of -inf. Exporters write that as
    Softmax, which gives NaN for such a row, and Where(IsNaN(result), 0, result). WebGPU has no kernel for IsNaN, and
    the compiler of its shaders may assume that there are no NaNs. Every layer copies its attention matrix to the CPU
    and back.

    How: a row is kept if its maximum is a number. The pass sets the other rows to 0 before the Softmax, and again after
    it.

    Exact, except for rows with NaN or +inf: they became 0, and are now NaN.
    """

    code = "guard-masked-softmax"

    def decomposers(self) -> Decomposers:
        return {"Where": _masked}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a Where replaces NaN, and its IsNaN has no GPU kernel."""
        isnan = None if node.inputs[0] is None else node.inputs[0].producer()
        return isnan is not None and isnan.op_type == "IsNaN" and super().matches(model, isnan, options)


def _masked(add: RewriteContext, node: ir.Node) -> ir.Value:
    """Return Where(alive, Softmax(Where(alive, x, 0)), 0)."""
    isnan, replacement, result = node.inputs
    softmax = None if result is None else result.producer()
    x = None if softmax is None or softmax.op_type != "Softmax" else softmax.inputs[0]
    if softmax is None or x is None or x.dtype is None or isnan is None or _softmax_input(isnan) is not result:
        raise NotApplicableError("it replaces NaN in a value that is not a Softmax")
    zero = constant(replacement)
    if zero is None or zero.size != 1 or zero.any() or add.opset < 13:
        raise NotApplicableError("it does not replace NaN by 0, or the opset is older than 13")
    axis = softmax.attributes.get_int("axis", -1)
    lowest = add.like(x, np.finfo(x.dtype.numpy()).min)
    alive = add.op("GreaterOrEqual", add.reduce("ReduceMax", x, axis), lowest)
    none = add.like(x, 0)
    again = add.op("Softmax", add.op("Where", alive, x, none), axis=axis)
    return add.op("Where", alive, again, none)


def _softmax_input(isnan: ir.Value) -> ir.Value | None:
    producer = isnan.producer()
    return None if producer is None else producer.inputs[0]
