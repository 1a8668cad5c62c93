"""Effects of data movement operators on elements, or on shapes only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.analysis.python_slice import python_slice
from webbuild.passes.rewrite import constant, input_value


def moved_shapes(node: ir.Node, shape: Sequence[int]) -> list[tuple[int, ...]] | None:
    """Return the shapes of a node's outputs for an input of this shape, None if they are unknown.

    For a Concat, `shape` is the output shape already: along its axis, the sum of the inputs' sizes.
    """
    if node.op_type == "Concat":
        return [tuple(shape)]
    if node.op_type == "Squeeze" and not _integers(node, 1, "axes"):
        return None  # it removes every axis of size 1, whichever these are
    if node.op_type == "Gather" and (index := constant(input_value(node, 1))) is not None:
        axis = node.attributes.get_int("axis", 0) % len(shape)
        return [(*shape[:axis], *index.shape, *shape[axis + 1 :])]
    line = np.broadcast_to(np.int8(0), tuple(shape))  # takes no memory
    moved = moved_elements(node, [line])
    return None if moved is None else [each.shape for each in moved]


def moved_elements(node: ir.Node, inputs: Sequence[NDArray[Any] | None]) -> list[NDArray[Any]] | None:
    """Return the outputs of a node that only moves elements; None for other nodes, or if a needed input is None.

    Args:
        node: a node with constant sizes, axes and indices.
        inputs: arrays of any element type.
    """
    data = inputs[0] if inputs else None
    if data is None or node.domain not in ("", "ai.onnx"):
        return None
    axes = _integers(node, 1, "axes")
    match node.op_type:
        case "Identity":
            return [data]
        case "Unsqueeze" if axes:
            return [np.expand_dims(data, tuple(axes))]
        case "Squeeze" if axes or input_value(node, 1) is None:
            return [np.squeeze(data, tuple(axes) if axes else None)]
        case "Transpose":
            return [data.transpose(node.attributes.get_ints("perm", None) or None)]
        case "Slice" if (cut := _cut(node, data.shape)) is not None:
            return [data[cut]]
        case "Split":
            axis = node.attributes.get_int("axis", 0)
            sizes = _integers(node, 1, "split")
            if sizes is None and data.shape[axis] % len(node.outputs) == 0:
                sizes = [data.shape[axis] // len(node.outputs)] * len(node.outputs)
            return None if sizes is None else np.split(data, np.cumsum(sizes)[:-1], axis)
        case "Gather" if (index := constant(input_value(node, 1))) is not None:
            # for a scalar index, NumPy returns a scalar instead of an array
            return [np.asarray(data.take(index, node.attributes.get_int("axis", 0)), data.dtype)]
        case "Concat" if (parts := [each for each in inputs if each is not None]) and len(parts) == len(inputs):
            return [np.concatenate(parts, node.attributes.get_int("axis", 0))]
        case "Flatten":
            return (
                [data.reshape(len(data), math.prod(data.shape[1:]))]
                if node.attributes.get_int("axis", 1) == 1
                else None
            )
        case "Reshape" if (target := _integers(node, 1, "")) is not None and 0 not in target:
            return [data.reshape(target)]
    return None


def _cut(node: ir.Node, shape: Sequence[int]) -> tuple[slice, ...] | None:
    """Return the part of each axis that a Slice keeps, None if a bound is computed."""
    bounds = [_integers(node, index, name) for index, name in enumerate(("starts", "ends", "axes", "steps"), 1)]
    starts, ends, along, steps = bounds
    computed = any(input_value(node, index) is not None and bound is None for index, bound in enumerate(bounds, 1))
    if computed or starts is None or ends is None:
        return None
    cut = [slice(None)] * len(shape)
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis, step = along[index] if along else index, steps[index] if steps else 1
        cut[axis] = python_slice(shape[axis], start, end, step)
    return tuple(cut)


def _integers(node: ir.Node, position: int, attribute: str) -> list[int] | None:
    """Return the integers of an input, or, in older opsets, of an attribute."""
    if (value := input_value(node, position)) is not None:
        array = constant(value)
        return None if array is None or array.dtype.kind != "i" else [int(each) for each in array.ravel()]
    listed = node.attributes.get_ints(attribute, None) if attribute else None
    return None if listed is None else list(listed)
