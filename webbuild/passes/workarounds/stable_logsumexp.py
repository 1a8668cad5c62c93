from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import opset_version, reduction_axes, replace_output, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround


class StableLogSumExp(Workaround):
    """ReduceLogSumExp(x, axes) -> Add(Log(ReduceSum(Exp(Sub(x, m)), axes)), m), m = ReduceMax(x, axes), kept finite.

    Defect: the answer may be infinite: ReduceLogSumExp does not subtract the maximum, and exp(89) overflows.

    Why: the CPU subtracts the maximum first. Scores and energies are often larger than 88.

    Limits: axes must be constants.

    Exact: to 1e-6 of the largest magnitude.

    Source: measured on 1.30.0.
    """

    code = "stable-logsumexp"
    finding = "logsumexp-overflow"
    after = ("fold-empty-tensors", "fold-constants", "downgrade-opset")
    operators = ("ReduceLogSumExp",)
    severity = "warning"
    outcome = "wrong"
    summary = "infinite above 88"
    fix = "subtract the maximum before it, and add it"
    probe = "reduce/ReduceLogSumExp large"
    tolerance = 1e-6

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        x = node.inputs[0]
        if x is None or x.dtype not in (ir.DataType.FLOAT, ir.DataType.FLOAT16) or 0 in (static_shape(x) or ()):
            return None
        return Symptom("it sums exponentials as they are")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return "its axes are computed, or none" if reduction_axes(node) is None else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        add = Builder(context.model.graph, node, f"{node.name or 'ReduceLogSumExp'}/shifted")
        result = _shifted(add, node, reduction_axes(node) or [], opset_version(context.model))
        replace_output(node, result)
        return "its maximum is subtracted first"


def _shifted(add: Builder, node: ir.Node, axes: list[int], opset: int) -> ir.Value:
    x = node.inputs[0]
    assert x is not None
    assert x.dtype is not None
    dtype = x.dtype.numpy()
    most = float(np.finfo(dtype).max)

    def largest(keepdims: int) -> ir.Value:
        maximum = add.reduce("ReduceMax", x, axes, keepdims)
        if opset < 11:
            low, high = add.const(-most, dtype), add.const(most, dtype)
            return add.op("Min", add.op("Max", maximum, low), high)  # before opset 11, Clip has no GPU kernel
        return add.op("Clip", maximum, add.const(-most, dtype), add.const(most, dtype))

    keepdims = node.attributes.get_int("keepdims", 1)
    shift = largest(1)
    total = add.reduce("ReduceSum", add.op("Exp", add.op("Sub", x, shift)), axes, keepdims)
    return add.op("Add", add.op("Log", total), shift if keepdims else largest(0))
