from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import FLOAT_EQUAL_OPSET, WHERE_OPSET, Builder
from webbuild.passes.rewrite import constant, consumers, find_nodes, opset_version, replace_all_uses, static_shape

_LAYOUT_OPS = {"Reshape", "Squeeze", "Unsqueeze", "Expand", "Concat", "Identity", "Transpose", "Gather", "GatherND"}
"""Operators that move elements of their first input and have int32 kernels on the GPU."""

_ARITHMETIC_OPS = {"Add", "Sub", "Mul"}
"""Operators that combine an index with a constant and have int32 kernels on the GPU."""

_INT32 = 2**31 - 1


class ArgmaxInt32(Pass):
    """Computes ArgMax without int64 if only a Cast reads its result.

        Cast(Gather(ArgMax(x [N, C], axis=1) int64 [N], i))
            ->  Cast(Gather(Cast(ReduceMin(Where(x == ReduceMax(x), (0 .. C - 1), C)), int32) [N], i))

    Why: onnxruntime-web has no int64 kernels on the GPU. A class index from ArgMax is gathered, reshaped and cast on
    the CPU, with a copy each way.

    How: float32 operators find the first largest element: the lowest position equal to the maximum. This is exact up to
    16,777,216 elements. Between ArgMax and Cast the index may be moved, and added to or multiplied by constants, as
    long as the result fits in 32 bits.

    Limits: a fixed axis, opset 9 or newer. With `select_last_index`, or with readers in a branch or a loop, ArgMax
    stays int64. Exact except for NaN, which equals no maximum.
    """

    code = "argmax-int32"
    after = ("static-nms", "eliminate-no-ops", "redundant-scatter")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each ArgMax whose readers all accept int32."""
        rewrites = []
        for node in find_nodes(model, "ArgMax"):
            if _only_gathers(node.outputs[0]):
                continue
            if opset_version(model) < WHERE_OPSET:
                rewrites.append(self.skipped(node, f"Where, which it needs, is new in opset {WHERE_OPSET}"))
                continue
            shape = static_shape(node.inputs[0])
            if shape is None or node.attributes.get_int("select_last_index", 0) != 0:
                rewrites.append(self.skipped(node, "its shape is not fixed, or select_last_index is set"))
                continue
            axis = node.attributes.get_int("axis", 0) % len(shape)
            if (reader := _int64_consumer(model.graph, node.outputs[0], shape[axis])) is not None:
                rewrites.append(self.skipped(node, f"{reader} reads it as int64"))
                continue
            _retype(model, node.outputs[0])
            replace_all_uses(node.outputs[0], _add_argmax(model, node, shape[axis], axis, len(shape)))
            rewrites.append(self.applied(node, "its index is computed in float32 and kept as int32"))
        return rewrites


def _only_gathers(value: ir.Value) -> bool:
    """Whether a value is read only as the indices of a Gather, which has a GPU kernel with int64 indices."""
    reads = [use.node.op_type in ("Gather", "GatherElements") and use.idx == 1 for use in value.uses()]
    return not value.is_graph_output() and all(reads)


def _int64_consumer(graph: ir.Graph, value: ir.Value, largest: int) -> str | None:
    """Return the reader that needs a value of magnitude up to `largest` as int64; None if all paths end in a Cast."""
    waiting = [(value, largest)]
    while waiting:
        value, largest = waiting.pop()
        if value.is_graph_output():
            return "the graph's output"
        for node in consumers(value):
            if node.op_type == "Cast":
                continue
            # readers in a branch or a loop stay int64
            result = _largest_result(node, value, largest) if node.graph is graph else None
            if result is None or result > _INT32:
                return f"{node.op_type} '{node.name}'"
            waiting.append((node.outputs[0], result))
    return None


def _largest_result(node: ir.Node, value: ir.Value, largest: int) -> int | None:
    """Return a bound on the magnitude of a node's output, None if the operator is not supported."""
    if node.op_type in _LAYOUT_OPS:
        carries = node.inputs[0] is value and value not in node.inputs[1:]
        return largest if carries and not (node.op_type == "Concat" and len(node.inputs) > 1) else None
    others = [constant(other) for other in node.inputs if other is not value]
    if node.op_type not in _ARITHMETIC_OPS or len(others) != 1 or others[0] is None or not others[0].size:
        return None
    operand = max(abs(int(others[0].min())), abs(int(others[0].max())))
    return None if operand > _INT32 else largest * operand if node.op_type == "Mul" else largest + operand


def _retype(model: ir.Model, value: ir.Value) -> None:
    """Make the values computed from this one int32, and the constants that they are combined with."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        for node in consumers(value):
            if node.op_type == "Cast":
                continue
            if node.op_type in _ARITHMETIC_OPS:
                position = 1 - list(node.inputs).index(value)
                operand = constant(node.inputs[position])
                assert operand is not None
                add = Builder(model.graph, node, f"{node.name or node.op_type}/int32")
                node.replace_input_with(position, add.const(operand, np.int32))
            node.outputs[0].type = ir.TensorType(ir.DataType.INT32)
            waiting.append(node.outputs[0])


def _add_argmax(model: ir.Model, node: ir.Node, size: int, axis: int, rank: int) -> ir.Value:
    add = Builder(model.graph, node, f"{node.name or 'ArgMax'}/int32")
    data = node.inputs[0]
    broadcast_shape = [1] * rank
    broadcast_shape[axis] = size
    # 0 .. C - 1 along the axis: [1, ..., C, ..., 1]
    position = add.const(np.arange(size).reshape(broadcast_shape))
    # x [N, C] == ReduceMax(x) [N, 1]; the lowest position where that holds is the first maximum
    largest = add.reduce("ReduceMax", data, axis)
    exact = add.opset >= FLOAT_EQUAL_OPSET
    is_largest = add.op("Equal", data, largest) if exact else add.op("Not", add.op("Less", data, largest))
    keepdims = node.attributes.get_int("keepdims", 1)
    first = add.reduce("ReduceMin", add.op("Where", is_largest, position, add.const(float(size))), axis, keepdims)
    return add.cast(first, ir.DataType.INT32)
