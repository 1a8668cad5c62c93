"""Selected boxes as int32 instead of int64, which has no GPU kernels."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.python_slice import python_slice
from webbuild.passes.builder import Builder
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.rewrite import constant, replace_all_uses, static_shape

_LAYOUT_OPS = {"Squeeze", "Unsqueeze", "Reshape", "Identity", "Transpose", "Split"}
_ARITHMETIC_OPS = {"Add", "Sub", "Mul", "Div", "Concat"}
_COMPARISON_OPS = {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"}


def propagate_int32(model: ir.Model, pattern: GenericNmsPattern, selected: ir.Value) -> ir.Value:
    """Let the nodes that read the selection compute in int32, up to a Cast, a Gather or an output of the graph.

    Returns:
        `selected`, int32 [rows, 3].
    """
    small = {pattern.nms.outputs[0]}
    for node in list(pattern.dependent_nodes):
        read = [value for value in node.inputs if value is not None and value in small]
        if not read or node.op_type == "Cast":
            continue
        data = node.inputs[0]
        if node.op_type == "GatherND" and data not in small:
            _replace_gather_nd(model, pattern, node, selected)
        elif node.op_type == "Slice":
            small.add(_slice_by_gather(model, pattern, node))
        elif node.op_type in _LAYOUT_OPS or (node.op_type == "Gather" and data in small):
            small.update(node.outputs)
        elif node.op_type in _ARITHMETIC_OPS | _COMPARISON_OPS and _shrink_constants(model, node, small):
            small.update(node.outputs if node.op_type in _ARITHMETIC_OPS else ())
        elif node.op_type != "Gather":
            _cast_to_int64(model, node, small)
    for value in small - {pattern.nms.outputs[0]}:
        value.type = ir.TensorType(ir.DataType.INT32)
    return selected


def _shrink_constants(model: ir.Model, node: ir.Node, small: set[ir.Value]) -> bool:
    """Make a node's constants int32; return False if one is too large or another input is not int32."""
    others = [(i, value) for i, value in enumerate(node.inputs) if value is not None and value not in small]
    arrays = [constant(value) for _, value in others]
    if any(array is None or np.abs(array).max(initial=0) >= 1 << 24 for array in arrays):
        return False
    add = Builder(model.graph, node, f"{node.name or node.op_type}/int32")
    for (index, _), array in zip(others, arrays, strict=True):
        assert array is not None
        node.replace_input_with(index, add.const(array, np.int32))
    return True


def _cast_to_int64(model: ir.Model, node: ir.Node, small: set[ir.Value]) -> None:
    """Cast the int32 inputs of a node that needs int64."""
    for index, value in enumerate(node.inputs):
        if value is not None and value in small:
            add = Builder(model.graph, node, f"{node.name or node.op_type}/int64")
            node.replace_input_with(index, add.cast(value, ir.DataType.INT64))


def _slice_by_gather(model: ir.Model, pattern: GenericNmsPattern, node: ir.Node) -> ir.Value:
    """Replace a Slice along one fixed axis, which has no int32 kernel on the GPU, by a Gather; return its output."""
    data = node.inputs[0]
    start, end, axis, *step = (constant(value) for value in node.inputs[1:])
    assert data is not None
    assert data.shape is not None
    assert start is not None
    assert end is not None
    assert axis is not None
    size = data.shape[int(axis.item())]
    # along the axis of the boxes: as many as the outputs have
    size = size if isinstance(size, int) else pattern.capacity[1]
    stride = int(step[0].item()) if step and step[0] is not None else 1
    places = list(range(size)[python_slice(size, int(start.item()), int(end.item()), stride)])
    add = Builder(model.graph, node, f"{node.name or 'Slice'}/columns")
    return _replace_output(pattern, node, add.op("Gather", data, add.const(places, np.int64), axis=int(axis.item())))


def _replace_gather_nd(model: ir.Model, pattern: GenericNmsPattern, node: ir.Node, selected: ir.Value) -> None:
    """Replace a GatherND, whose indices must be int64, by a Gather of data with the indexed axes flattened."""
    data = node.inputs[0]
    index = selected if node.inputs[1] is pattern.nms.outputs[0] else node.inputs[1]
    shape = static_shape(data)
    assert index is not None
    assert shape is not None
    assert index.shape is not None
    count = index.shape[-1]
    assert isinstance(count, int)
    # row number = sum(index[..., i] * stride_i): [n, count] -> [n]; data [d0, d1, ...] -> [d0 * d1, ...]
    strides = [math.prod(shape[i + 1 : count]) for i in range(count)]
    add = Builder(model.graph, node, f"{node.name or 'GatherND'}/numbered")
    scaled = add.op("Mul", add.cast(index, ir.DataType.FLOAT), add.const(strides))
    number = add.cast(add.reduce("ReduceSum", scaled, -1, keepdims=0), ir.DataType.INT32)
    flat = add.reshape(data, [math.prod(shape[:count]), *shape[count:]])
    _replace_output(pattern, node, add.op("Gather", flat, number, axis=0))


def _replace_output(pattern: GenericNmsPattern, node: ir.Node, value: ir.Value) -> ir.Value:
    """Replace a node by the value that takes the place of its only output."""
    old = node.outputs[0]
    producer = value.producer()
    assert producer is not None
    value.shape, value.type = old.shape, old.type
    pattern.outputs = [value if each is old else each for each in pattern.outputs]
    pattern.dependent_nodes[pattern.dependent_nodes.index(node)] = producer
    pattern.axes[value] = pattern.axes[old]
    replace_all_uses(old, value)
    if node.graph is not None:
        node.graph.remove(node, safe=True)
    return value


def divmod_int32(add: Builder, value: ir.Value, by: int) -> tuple[ir.Value, ir.Value]:
    """Return quotient and remainder of a non-negative int32 value."""
    quotient = add.op("Div", value, add.const(by, np.int32))
    return quotient, add.op("Sub", value, add.op("Mul", quotient, add.const(by, np.int32)))
