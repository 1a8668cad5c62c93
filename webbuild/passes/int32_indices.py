"""Index values without int64."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, replace, users

_CARRIERS = {"Reshape", "Squeeze", "Unsqueeze", "Expand", "Concat", "Identity", "Transpose", "Gather", "GatherND"}
"""Operators that move the values of their first input and have int32 kernels on the GPU."""

_ARITHMETIC = {"Add", "Sub", "Mul"}
"""Operators that compute with an index and a constant, and have int32 kernels on the GPU."""

_INT32 = 2**31 - 1


class Int32Indices(Pass):
    """Computes ArgMax without int64 where only a Cast reads its result in the end.

    onnxruntime-web computes nothing in int64 on the GPU, so a class index from ArgMax is gathered, reshaped and
    cast on the CPU, with a copy each way. The index of the first largest element is found with float32
    operators, equal to the maximum and lowest position, and is exact up to 16,777,216 elements. Between ArgMax and
    Cast it may be moved, and added to or multiplied by constants as long as the result fits in 32 bits.
    """

    code = "int32-indices"
    after = ("fixed-shape-head", "zero-sized", "overwritten-scatter")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each ArgMax of which every reader can take int32."""
        edits = []
        for node in nodes_of(model, "ArgMax"):
            if _only_gathers(node.outputs[0]):
                continue
            where = f"ArgMax '{node.name}'"
            shape = dims(node.inputs[0])
            if shape is None or node.attributes.get_int("select_last_index", 0) != 0:
                edits.append(self.left(where, "its shape is not fixed, or it wants the last of equals"))
                continue
            axis = node.attributes.get_int("axis", 0) % len(shape)
            outputs = {id(output) for output in model.graph.outputs}
            if (reader := _reader_of_int64(node.outputs[0], outputs, shape[axis])) is not None:
                edits.append(self.left(where, f"{reader} reads it as int64"))
                continue
            _retype(model, node.outputs[0])
            replace(node.outputs[0], _first_largest(model, node, shape[axis], axis, len(shape)))
            edits.append(self.done(where, "its index is computed in float32 and kept as int32"))
        return edits


def _only_gathers(value: ir.Value) -> bool:
    """Whether a value does nothing but say what is gathered, which int64 may on the GPU."""
    reads = [use.node.op_type in ("Gather", "GatherElements") and use.idx == 1 for use in value.uses()]
    return not value.is_graph_output() and all(reads)


def _reader_of_int64(value: ir.Value, outputs: set[int], largest: int) -> str | None:
    """Return who needs the value, in magnitude up to `largest`, as int64; None if all readers end in a Cast."""
    waiting = [(value, largest)]
    while waiting:
        value, largest = waiting.pop()
        if id(value) in outputs:
            return "the graph's output"
        for node in users(value):
            if node.op_type == "Cast":
                continue
            result = _largest_result(node, value, largest)
            if result is None or result > _INT32:
                return f"{node.op_type} '{node.name}'"
            waiting.append((node.outputs[0], result))
    return None


def _largest_result(node: ir.Node, value: ir.Value, largest: int) -> int | None:
    """Return a bound on the magnitude of what a node makes of the value, None if it is no node of a known kind."""
    if node.op_type in _CARRIERS:
        carries = node.inputs[0] is value and value not in node.inputs[1:]
        return largest if carries and not (node.op_type == "Concat" and len(node.inputs) > 1) else None
    others = [constant(other) for other in node.inputs if other is not value]
    if node.op_type not in _ARITHMETIC or len(others) != 1 or others[0] is None or not others[0].size:
        return None
    operand = max(abs(int(others[0].min())), abs(int(others[0].max())))
    return None if operand > _INT32 else largest * operand if node.op_type == "Mul" else largest + operand


def _retype(model: ir.Model, value: ir.Value) -> None:
    """Say of everything that carries the value that it is int32, constants that it is computed with too."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        for node in users(value):
            if node.op_type == "Cast":
                continue
            if node.op_type in _ARITHMETIC:
                position = 1 - list(node.inputs).index(value)
                operand = constant(node.inputs[position])
                assert operand is not None
                add = Builder(model.graph, node, f"{node.name or node.op_type}/int32")
                node.replace_input_with(position, add.const(operand, np.int32))
            node.outputs[0].type = ir.TensorType(ir.DataType.INT32)
            waiting.append(node.outputs[0])


def _first_largest(model: ir.Model, node: ir.Node, size: int, axis: int, rank: int) -> ir.Value:
    add = Builder(model.graph, node, f"{node.name or 'ArgMax'}/int32")
    data = node.inputs[0]
    place = [1] * rank
    place[axis] = size
    position = add.const(np.arange(size).reshape(place))
    is_largest = add.op("Equal", data, add.reduce("ReduceMax", data, axis))
    keepdims = node.attributes.get_int("keepdims", 1)
    first = add.reduce("ReduceMin", add.op("Where", is_largest, position, add.const(float(size))), axis, keepdims)
    return add.op("Cast", first, to=ir.DataType.INT32.value)
