"""Logarithms of 0."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, nodes_of, replace, users
from webbuild.passes._kernels import placement

_GIVING = (
    "Abs", "Relu", "ReduceL1", "ReduceL2", "ReduceSum", "ReduceSumSquare", "Sigmoid", "Softmax", "Sqrt",
    "ThresholdedRelu",
)  # fmt: skip
"""Operators that give 0 of ordinary numbers."""

_WHOLE = (ir.DataType.BOOL, ir.DataType.UINT8, ir.DataType.INT32)


class InfiniteLogarithms(Pass):
    """Puts minus infinity where a Log reads 0.

    Why: WGSL leaves open what an expression gives that is infinite: on a GPU the logarithm of 0 is a number, or NaN,
    where the CPU has minus infinity. A mask that is made so (Log of zeros and ones, added to scores) hides nothing.

    How: where what it reads is equal to 0, a Where takes minus infinity from a buffer, in which it is data and no
    expression. Only behind operators that give 0, and for inputs of the graph. Exact.
    """

    code = "infinite-logarithms"
    after = ("empty-tensors", "fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Guard each Log that may read 0."""
        edits = []
        for node in nodes_of(model, "Log"):
            x, result = node.inputs[0], node.outputs[0]
            if placement(model, node, options) != "gpu" or not may_be_zero(x) or is_guarded(node):
                continue
            assert x is not None
            assert x.dtype is not None
            add = Builder(model.graph, node, f"{node.name or 'Log'}/zero")
            zero, least = (add.const(number, x.dtype.numpy()) for number in (0.0, -np.inf))
            is_zero, log = add.op("Equal", x, zero), add.op("Log", x)
            is_zero.shape, is_zero.type = x.shape, ir.TensorType(ir.DataType.BOOL)
            log.shape, log.type = result.shape, result.type
            replace(result, add.op("Where", is_zero, least, log))
            edits.append(self.done(f"Log '{node.name}'", "minus infinity where it reads 0"))
        return edits


def may_be_zero(value: ir.Value | None) -> bool:
    """Whether a value is 0 in ordinary runs: an input of the graph, what counts, and what ends at 0."""
    producer = None if value is None else value.producer()
    if producer is None:
        return value is not None and value.is_graph_input()
    if producer.op_type == "Cast":
        source = producer.inputs[0]
        return source is not None and source.dtype in _WHOLE
    if producer.op_type == "Clip":
        low = constant(producer.inputs[1]) if len(producer.inputs) > 1 else None
        return low is not None and bool((low <= 0).all())
    return producer.op_type in _GIVING


def is_guarded(node: ir.Node) -> bool:
    """Whether every reader of a Log has minus infinity to take instead."""
    readers = users(node.outputs[0])
    return bool(readers) and all(_is_guard(reader, node) for reader in readers)


def _is_guard(reader: ir.Node, node: ir.Node) -> bool:
    if reader.op_type != "Where" or reader.inputs[2] is not node.outputs[0]:
        return False
    instead, test = constant(reader.inputs[1]), reader.inputs[0]
    equal = None if test is None else test.producer()
    if equal is None or equal.op_type != "Equal" or equal.inputs[0] is not node.inputs[0]:
        return False
    return instead is not None and bool(np.isneginf(instead).all())
