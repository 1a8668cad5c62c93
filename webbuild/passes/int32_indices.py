"""Index values without int64."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of, replace, users

_CARRIERS = {"Reshape", "Squeeze", "Unsqueeze", "Expand", "Concat", "Identity", "Transpose", "Gather", "GatherND"}
"""Operators that move the values of their first input and have int32 kernels on the GPU."""


class Int32Indices(Pass):
    """Computes ArgMax without int64 where only a Cast reads its result in the end.

    onnxruntime-web computes nothing in int64 on the GPU, so a class index from ArgMax is gathered, reshaped and
    cast on the CPU, with a copy each way. The index of the first largest element is found with float32
    operators, equal to the maximum and lowest position, and is exact up to 16,777,216 elements.
    """

    code = "int32-indices"
    after = ("fixed-shape-head", "zero-sized", "overwritten-scatter")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each ArgMax of which every reader can take int32."""
        edits = []
        for node in nodes_of(model, "ArgMax"):
            where = f"ArgMax '{node.name}'"
            reader = _reader_of_int64(node.outputs[0], {id(output) for output in model.graph.outputs})
            shape = dims(node.inputs[0])
            if reader is not None:
                edits.append(self.left(where, f"{reader} reads it as int64"))
            elif shape is None or node.attributes.get_int("select_last_index", 0) != 0:
                edits.append(self.left(where, "its shape is not fixed, or it wants the last of equals"))
            else:
                axis = node.attributes.get_int("axis", 0) % len(shape)
                _retype(node.outputs[0])
                replace(node.outputs[0], _first_largest(model, node, shape[axis], axis, len(shape)))
                edits.append(self.done(where, "its index is computed in float32 and kept as int32"))
        return edits


def _reader_of_int64(value: ir.Value, outputs: set[int]) -> str | None:
    """Return who needs the value as int64, None if all readers end in a Cast."""
    waiting, seen = [value], {value}
    while waiting:
        value = waiting.pop()
        if id(value) in outputs:
            return "the graph's output"
        for node in users(value):
            if node.op_type == "Cast":
                continue
            carries = node.op_type in _CARRIERS and node.inputs[0] is value and value not in node.inputs[1:]
            if not carries or (node.op_type == "Concat" and len(node.inputs) > 1):
                return f"{node.op_type} '{node.name}'"
            if node.outputs[0] not in seen:
                seen.add(node.outputs[0])
                waiting.append(node.outputs[0])
    return None


def _retype(value: ir.Value) -> None:
    """Say of everything that carries the value that it is int32."""
    waiting, seen = [value], {value}
    while waiting:
        for node in users(waiting.pop()):
            if node.op_type != "Cast" and node.outputs[0] not in seen:
                node.outputs[0].type = ir.TensorType(ir.DataType.INT32)
                seen.add(node.outputs[0])
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
