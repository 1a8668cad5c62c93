"""The axis of the boxes that NMS selected, traced through the operators after it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import onnx_ir as ir

from webbuild.passes.analysis.normalized_axes import normalized_axes
from webbuild.passes.rewrite import constant, known_rank, static_shape

ELEMENTWISE_OPS = {"Cast", "Identity", "Neg", "Abs", "Exp", "Log", "Sqrt", "Floor", "Ceil", "Sigmoid", "Relu", "Clip"}
ELEMENTWISE_OPS |= {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mod", "Where", "And", "Or", "Not"}
ELEMENTWISE_OPS |= {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"}
_REDUCTION_OPS = {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd", "ArgMax", "ArgMin"}

AxisMap = Mapping[ir.Value, int]


def output_batch_axis(node: ir.Node, axes: AxisMap) -> int | None:
    """Return the axis of the boxes in a node's outputs, None if the node may mix boxes or is not supported.

    Args:
        node: a node that reads at least one of the values.
        axes: the axis of the boxes, for every value that has one.
    """
    if any(value is not None and value.shape is None for value in node.inputs):
        return None
    data = node.inputs[0]
    axis = axes.get(data) if data is not None else None
    if node.op_type in ELEMENTWISE_OPS:
        return _broadcast_axis(node, axes)
    if node.op_type == "Concat":
        same = {axes.get(value) for value in node.inputs if value is not None}
        return axis if len(same) == 1 and _attribute(node, "axis", 0, data) != axis else None
    if node.op_type in ("Gather", "GatherND") and axis is None:
        return _gathered_axis(node, axes)
    if axis is None or data is None or any(value in axes for value in node.inputs[1:] if value is not None):
        return None
    return _moved_axis(node, data, axis)


def _moved_axis(node: ir.Node, data: ir.Value, axis: int) -> int | None:
    """Return the new axis of the boxes after an operator on one value."""
    rank = _rank(data)
    match node.op_type:
        case "Split":
            return axis if _attribute(node, "axis", 0, data) != axis else None
        case "Softmax":
            return axis if axis not in normalized_axes(node, rank) else None
        case "Slice":
            along = _constants(node, 3)
            return axis if along is not None and axis not in {a % rank for a in along} else None
        case "Gather":
            index, along_one = node.inputs[1], _attribute(node, "axis", 0, data)
            if constant(index) is None or along_one == axis:
                return None
            return axis if axis < along_one else axis - 1 + _rank(index)
        case "Transpose":
            # [N, 4] with perm (1, 0): the boxes of axis 0 are then along axis 1
            order = node.attributes.get_ints("perm", list(reversed(range(rank))))
            return list(order).index(axis)
        case "Squeeze":
            gone = _constants(node, 1, "axes")
            return axis - sum(a % rank < axis for a in gone) if gone and axis not in {a % rank for a in gone} else None
        case "Unsqueeze":
            added = _constants(node, 1, "axes")
            return _unsqueezed_axis(axis, rank, added) if added else None
        case "Reshape":
            return _reshaped_axis(data, axis, _constants(node, 1))
        case op if op in _REDUCTION_OPS:
            return _reduced_axis(node, data, axis)
    return None


def _broadcast_axis(node: ir.Node, axes: AxisMap) -> int | None:
    """Return the axis of the boxes after an elementwise operator, with operands aligned at their last axes."""
    values = [value for value in node.inputs if value is not None]
    # operands are aligned at their last axes: count the axis from the end
    from_end = {_rank(value) - axes[value] for value in values if value in axes}
    if len(from_end) != 1:
        return None
    (back,) = from_end
    for value in values:
        shape = static_shape(value)
        if value not in axes and (shape is None or (len(shape) >= back and shape[-back] != 1)):
            return None
    return max(map(_rank, values)) - back


def _gathered_axis(node: ir.Node, axes: AxisMap) -> int | None:
    data, index = node.inputs[0], node.inputs[1]
    if data is None or index is None or index not in axes or static_shape(data) is None:
        return None
    if node.op_type == "Gather":
        return _attribute(node, "axis", 0, data) + axes[index]
    return axes[index] if not node.attributes.get_int("batch_dims", 0) and axes[index] < _rank(index) - 1 else None


def _reduced_axis(node: ir.Node, data: ir.Value, axis: int) -> int | None:
    rank = _rank(data)
    one = node.op_type.startswith("Arg")
    along = [node.attributes.get_int("axis", 0)] if one else _constants(node, 1, "axes")
    if not along or axis in {a % rank for a in along}:
        return None
    return axis if node.attributes.get_int("keepdims", 1) else axis - sum(a % rank < axis for a in along)


def _reshaped_axis(data: ir.Value, axis: int, shape: list[int] | None) -> int | None:
    """Return the position of -1 in the new shape, if all sizes before the boxes are 1 in both shapes."""
    old = list(data.shape) if data.shape is not None else []
    if shape is None or shape.count(-1) != 1 or 0 in shape:
        return None
    position = shape.index(-1)
    # [1, n, 2, 2] -> [1, -1, 4]: a box keeps its elements if the sizes after the boxes have the same product
    after = [dim for dim in old[axis + 1 :] if isinstance(dim, int)]
    in_front = [*old[:axis], *shape[:position]]
    fits = len(after) == len(old) - axis - 1 and all(dim == 1 for dim in in_front)
    return position if fits and math.prod(after) == math.prod(shape[position + 1 :]) else None


def _unsqueezed_axis(axis: int, rank: int, added: list[int]) -> int:
    new = {a % (rank + len(added)) for a in added}
    return [position for position in range(rank + len(added)) if position not in new][axis]


def _rank(value: ir.Value | None) -> int:
    return known_rank(value) or 0


def _attribute(node: ir.Node, name: str, default: int, data: ir.Value | None) -> int:
    """Return an axis, counted from the front."""
    return node.attributes.get_int(name, default) % max(1, _rank(data))


def _constants(node: ir.Node, position: int, attribute: str = "") -> list[int] | None:
    """Return the integers of an input, or, in older opsets, of an attribute."""
    if len(node.inputs) > position:
        array = constant(node.inputs[position])
        return None if array is None else [int(value) for value in array.ravel()]
    if attribute and (listed := node.attributes.get_ints(attribute, None)) is not None:
        return list(listed)
    return None
