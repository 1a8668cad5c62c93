"""Shapes of what operators make of one value by moving its elements, without a look at inferred shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import constant, input_value


def moved_shapes(node: ir.Node, shape: Sequence[int]) -> list[tuple[int, ...]] | None:
    """Return the shapes of a node's outputs for an input of this shape, None where it is not known.

    A Concat is taken for one of inputs that are all of this shape, but for its axis: `shape` has the sum there.
    """
    line = np.broadcast_to(np.int8(0), tuple(shape))  # takes no memory
    axes = _integers(node, 1, "axes")
    match node.op_type:
        case "Unsqueeze" if axes:
            return [np.expand_dims(line, tuple(axes)).shape]
        case "Squeeze" if axes:
            return [np.squeeze(line, tuple(axes)).shape]
        case "Transpose":
            return [line.transpose(node.attributes.get_ints("perm", None) or None).shape]
        case "Slice" if None not in (bounds := [_integers(node, place, "") for place in range(1, len(node.inputs))]):
            starts, ends, along, steps = [*bounds, *[None] * 4][:4]
            cut = [slice(None)] * len(shape)
            for place, (start, end) in enumerate(zip(starts or [], ends or [], strict=True)):
                cut[along[place] if along else place] = slice(start, end, steps[place] if steps else 1)
            return [line[tuple(cut)].shape]
        case "Split":
            axis = node.attributes.get_int("axis", 0)
            sizes = _integers(node, 1, "split")
            if sizes is None and shape[axis] % len(node.outputs) == 0:
                sizes = [shape[axis] // len(node.outputs)] * len(node.outputs)
            return None if sizes is None else [_with_size(shape, axis, size) for size in sizes]
        case "Gather" if (index := constant(input_value(node, 1))) is not None:
            axis = node.attributes.get_int("axis", 0) % len(shape)
            return [(*shape[:axis], *index.shape, *shape[axis + 1 :])]
        case "Concat":
            return [tuple(shape)]
        case "Flatten":
            return [(shape[0], line[0].size)] if node.attributes.get_int("axis", 1) == 1 else None
        case "Reshape" if (target := _integers(node, 1, "")) and 0 not in target:
            return [line.reshape(target).shape]
    return None


def _with_size(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[: axis % len(shape)], size, *shape[axis % len(shape) + 1 :])


def _integers(node: ir.Node, position: int, attribute: str) -> list[int] | None:
    """Return integers given as an input, or, in older opsets, as an attribute."""
    if (value := input_value(node, position)) is not None:
        array = constant(value)
        return None if array is None or array.dtype.kind != "i" else [int(each) for each in array.ravel()]
    listed = node.attributes.get_ints(attribute, None) if attribute else None
    return None if listed is None else list(listed)
