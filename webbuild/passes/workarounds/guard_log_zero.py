from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import FLOAT_EQUAL_OPSET, WHERE_OPSET, Builder
from webbuild.passes.rewrite import constant, consumers, opset_version, producer_of, replace_all_uses
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_ZERO_PRODUCING_OPS = (
    "Abs", "Relu", "ReduceL1", "ReduceL2", "ReduceSum", "ReduceSumSquare", "Sigmoid", "Softmax", "Sqrt",
    "ThresholdedRelu",
)  # fmt: skip
"""Operators that return 0 for ordinary inputs."""

_WHOLE = (ir.DataType.BOOL, ir.DataType.UINT8, ir.DataType.INT32)


class GuardLogZero(Workaround):
    """Log(x) -> Where(Equal(x, 0), -inf, Log(x)).

    Defect: the answer may differ: Log(0) is a finite number on some GPUs, and -inf on the CPU.

    Why: WGSL does not define the value of an expression that is infinite. On a software adapter Log(0) is -88. If the
    Log of a mask of zeros and ones is added to scores, it then fails to mask them. The pass stores minus infinity as
    data in a buffer, where it is not the result of an expression.

    Limits: only after operators that return 0 for ordinary numbers, and for inputs of the graph; opset 9 or newer.

    Exact: all other values are unchanged.

    Source: measured on 1.30.0; WGSL, "floating point evaluation".
    """

    code = "guard-log-zero"
    finding = "log-zero"
    after = ("fold-empty-tensors", "fold-constants", "downgrade-opset")
    operators = ("Log",)
    severity = "note"
    outcome = "wrong"
    summary = "minus infinity becomes a number"
    fix = "put minus infinity there with a Where"
    probe = "log_of_zero"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        return Symptom("it may read 0") if _may_be_zero(node.inputs[0]) and not _is_guarded(node) else None

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        x = node.inputs[0]
        if opset_version(context.model) < WHERE_OPSET:
            return f"Where, which it needs, is new in opset {WHERE_OPSET}"
        return "its element type is not known" if x is None or x.dtype is None else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        x, result = node.inputs[0], node.outputs[0]
        assert x is not None
        add = Builder(context.model.graph, node, f"{node.name or 'Log'}/zero")
        zero, least = (add.like(x, number) for number in (0.0, -np.inf))
        exact = opset_version(context.model) >= FLOAT_EQUAL_OPSET
        is_zero = add.op("Equal", x, zero) if exact else add.op("Not", add.cast(x, ir.DataType.BOOL))
        log = add.op("Log", x)
        is_zero.shape, is_zero.type = x.shape, ir.TensorType(ir.DataType.BOOL)
        log.shape, log.type = result.shape, result.type
        replace_all_uses(result, add.op("Where", is_zero, least, log))
        return "minus infinity where it reads 0"


def _may_be_zero(value: ir.Value | None) -> bool:
    """Whether a value may be 0 in ordinary runs: graph inputs, casts of integers, and operators that return 0."""
    producer = None if value is None else value.producer()
    if producer is None:
        return value is not None and value.is_graph_input()
    if producer.op_type == "Cast":
        source = producer.inputs[0]
        return source is not None and source.dtype in _WHOLE
    if producer.op_type == "Clip":
        low = constant(producer.inputs[1]) if len(producer.inputs) > 1 else None
        return low is not None and bool((low <= 0).all())
    return producer.op_type in _ZERO_PRODUCING_OPS


def _is_guarded(node: ir.Node) -> bool:
    """Whether every reader of a Log is a Where that replaces it by minus infinity."""
    readers = consumers(node.outputs[0])
    return bool(readers) and all(_is_guard(reader, node) for reader in readers)


def _is_guard(reader: ir.Node, node: ir.Node) -> bool:
    if reader.op_type != "Where" or reader.inputs[2] is not node.outputs[0]:
        return False
    replacement, test = constant(reader.inputs[1]), producer_of(reader.inputs[0], "Equal", "Not")
    if test is not None and test.op_type == "Not":
        test = producer_of(test.inputs[0], "Cast")
    if test is None or test.inputs[0] is not node.inputs[0]:
        return False
    return replacement is not None and bool(np.isneginf(replacement).all())
