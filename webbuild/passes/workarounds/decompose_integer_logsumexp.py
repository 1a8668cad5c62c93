from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.decomposition import Decomposer, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import reduction_axes, static_shape
from webbuild.passes.workaround import DefectContext, DefectDecomposition, Symptom

_LARGEST_TABLE = 1 << 16


class DecomposeIntegerLogSumExp(DefectDecomposition):
    """ReduceLogSumExp(x int32, axes) -> m + Gather(log, ReduceSum(Equal(x, m), axes)), m = ReduceMax(x, axes).

    Defect: the answer may be one off: ReduceLogSumExp of integers rounds where ONNX cuts.

    Why: in whole numbers the exponential of anything below 0 is 0, so that the sum counts the largest numbers. The GPU
    computes it as it would with floats and rounds at the end. The logarithm, cut to a whole number, is looked up. A
    sum below 0 is cut towards 0: it is one more wherever the logarithm is not 0.
    Limits: int32, a fixed shape, constant axes, at most 65,536 numbers to count.
    Exact: bit for bit.
    Source: measured on 1.30.0.
    """

    code = "decompose-integer-logsumexp"
    finding = "logsumexp-integer-rounding"
    after = ("fold-empty-tensors", "fold-constants", "downgrade-opset")
    operators = ("ReduceLogSumExp",)
    outcome = "wrong"
    summary = "off by one"
    fix = "cast to float before it"
    probe = "reduce_log_sum_exp_of_int32"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        x = node.inputs[0]
        if x is None or x.dtype not in (ir.DataType.INT32, ir.DataType.UINT32) or 0 in (static_shape(x) or ()):
            return None
        return Symptom("it rounds where ONNX cuts")

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"ReduceLogSumExp": _logsumexp_int32}


def _logsumexp_int32(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    if x is None or x.dtype != ir.DataType.INT32:
        raise NotApplicableError("it reduces uint32")
    axes = reduction_axes(node)
    if shape is None or not axes:
        raise NotApplicableError("its shape is not fixed, or its axes are computed, or none")
    size, keeps = prod(shape[axis] for axis in axes), node.attributes.get_int("keepdims", 1)
    if size > _LARGEST_TABLE:
        raise NotApplicableError("it counts too many numbers for a table")
    most = add.reduce("ReduceMax", node.inputs[0], axes)
    largest = add.op("Cast", add.op("Equal", node.inputs[0], most), to=ir.DataType.INT32.value)
    count = add.reduce("ReduceSum", largest, axes, keepdims=keeps)
    logarithms = np.log(np.maximum(np.arange(size + 1), 1))
    more, rest = (add.op("Gather", add.const(each, np.int32), count, axis=0) for each in (logarithms, logarithms > 0))
    total = add.op("Add", add.reduce("ReduceMax", node.inputs[0], axes, keepdims=keeps), more)
    zero = add.const(0, np.int32)
    return add.op("Add", total, add.op("Where", add.op("Less", total, zero), rest, zero))
