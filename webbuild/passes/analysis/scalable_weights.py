"""Constant weights that can absorb a factor of a later value."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.column_factors import Floats, column_factors
from webbuild.passes.analysis.movement import moved_data
from webbuild.passes.rewrite import constant, is_read, only_reader, static_shape

_DEEPEST = 6
"""Largest number of nested products and sums that are searched."""


class ScaledWeights(Struct, frozen=True):
    """A constant input of a node, and the factors to multiply it by along `axis`: -1, or 0 if it is transposed."""

    node: ir.Node
    index: int
    factors: Floats
    axis: int


def scalable_weights(
    value: ir.Value, reader: ir.Node, factor: Floats, depth: int = _DEEPEST
) -> list[ScaledWeights] | None:
    """Return the weights to scale so that `value` is multiplied by `factor`, None if another value would be too."""
    path = [value]  # from the value back to the node that computes its elements
    while (node := path[-1].producer()) is not None and len(data := moved_data(node) or []) == 1:
        path.append(data[0])
    if node is None or depth < 0 or any(each.is_graph_output() or each.graph is not reader.graph for each in path):
        return None
    if factor.size > 1 or not all(map(_is_whole, path)):
        columns = (static_shape(path[-1]) or [0])[-1]
        if _plan_of(node, np.ones(columns, np.float32), depth) is None:  # much faster than tracing the columns
            return None
        factors = column_factors(path[::-1], reader, factor)
        if factors is None:
            return None
        factor = factors
    return _plan_of(node, factor, depth)


def _plan_of(node: ir.Node, factor: Floats, depth: int) -> list[ScaledWeights] | None:
    """Return the weights to scale so that a node's output is multiplied by one factor, or by one for each column."""
    first, second = (*node.inputs, None)[:2]
    match node.op_type:
        case "MatMul" if _is_weight(second) and len(static_shape(second) or []) == 2:
            return [ScaledWeights(node, 1, factor, -1)]
        case "MatMul" | "Mul" if factor.size == 1:
            for operand in (first, second):
                if operand is None or len({first, second}) < 2 or not _is_computed(operand):
                    continue
                if (scaled_weights := scalable_weights(operand, node, factor, depth - 1)) is not None:
                    return scaled_weights
        case "Gemm" if node.attributes.get_float("alpha", 1.0) == 1 and node.attributes.get_float("beta", 1.0) == 1:
            bias = node.inputs[2] if len(node.inputs) > 2 else None
            if _is_weight(second) and (bias is None or _is_column(bias, factor)):
                along = 0 if node.attributes.get_int("transB", 0) else -1
                scaled_weights = [ScaledWeights(node, 1, factor, along)]
                return scaled_weights if bias is None else [*scaled_weights, ScaledWeights(node, 2, factor, -1)]
        case "LayerNormalization" if _follows_last_axis(node):
            if all(_is_weight(each) for each in node.inputs[1:] if each is not None):
                indices = [at for at, value in enumerate(node.inputs) if at and value is not None]
                return [ScaledWeights(node, at, factor, -1) for at in indices]
        case "Add":
            for at, (bias, rest) in enumerate(((first, second), (second, first))):
                if bias is None or rest is None or not _is_column(bias, factor) or only_reader(rest) is None:
                    continue
                before = rest.producer()
                if before is None or before.graph is not node.graph or before.op_type not in ("Add", "MatMul"):
                    continue
                if static_shape(rest) != static_shape(node.outputs[0]):
                    continue
                if (scaled_weights := _plan_of(before, factor, depth - 1)) is not None:
                    return [*scaled_weights, ScaledWeights(node, at, factor, -1)]
    return None


def _is_computed(value: ir.Value) -> bool:
    return constant(value) is None and value.producer() is not None


def _is_weight(value: ir.Value | None) -> bool:
    """Whether a value is a constant with a single reader."""
    return value is not None and constant(value) is not None and len(value.uses()) == 1


def _is_whole(value: ir.Value) -> bool:
    """Whether one node reads a value, and no other output of its producer is read."""
    producer = value.producer()
    outputs = [] if producer is None else [output for output in producer.outputs if is_read(output)]
    return only_reader(value) is not None and outputs == [value]


def _is_column(value: ir.Value, factor: Floats) -> bool:
    """Whether a constant has a number for each column, or one factor is for all columns."""
    shape = static_shape(value)
    return constant(value) is not None and shape is not None and (factor.size == 1 or shape[-1:] == [factor.size])


def _follows_last_axis(node: ir.Node) -> bool:
    rank = None if node.inputs[0] is None or node.inputs[0].shape is None else len(node.inputs[0].shape)
    used = [output for output in node.outputs[1:] if output.uses()]
    return rank is not None and node.attributes.get_int("axis", -1) % rank == rank - 1 and not used
