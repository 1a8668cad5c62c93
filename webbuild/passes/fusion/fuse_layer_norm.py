from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.opset.raise_opset import raise_opset
from webbuild.passes.rewrite import (
    constant,
    constant_number,
    consumers,
    find_nodes,
    known_rank,
    opset_version,
    producer_of,
    reduction_axes,
    replace_all_uses,
    static_shape,
)

_OPSET, _OLDEST = 17, 11
"""First opset with LayerNormalization, and the oldest opset that is converted to it."""


class FuseLayerNorm(Pass):
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias` -> `LayerNormalization(x, scale, bias)`.

        x - mean -> d, d / sqrt(mean(d^2) + epsilon) * scale + bias    ->  LayerNormalization(x, scale, bias)

    Why: one shader instead of nine. The engine's own fusion requires forms of the mean, power and root that not every
    exporter writes, and in half precision the squares overflow. `skip-layer-norm` can then fuse a sum before it too.

    How: exports of opsets before 17 do not have the operator. Such a model is converted to opset 17 first. Scale and
    bias are fused if each is a constant of the size of the last axis. The bias may be missing: earlier passes removed
    a bias of zeros.

    Limits: opset 11 or newer; the last axis. Accurate to 1e-5: the variance is summed in another order.
    """

    code = "fuse-layer-norm"
    target = "webgpu"
    after = ("canonicalize", "fold-constants")
    scope = "main graph"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        if opset_version(model) < _OLDEST:
            return []
        written_norm = next((norm for node in find_nodes(model, "Div") if (norm := _norm_of(node)) is not None), None)
        if written_norm is None:
            return []
        if opset_version(model) < _OPSET and (reason := raise_opset(model, _OPSET)) is not None:
            return [self.skipped(written_norm.end, reason)]
        rewrites = []
        for node in find_nodes(model, "Div"):
            norm = _norm_of(node)  # computed again: its input may be the norm fused just before
            if norm is None:
                continue
            add = Builder(model.graph, norm.end, f"{norm.end.name or norm.end.op_type}/norm")
            scale = norm.scale or add.like(norm.x, [1.0] * norm.width)  # a required input
            weights = [scale] if norm.bias is None else [scale, norm.bias]
            fused = add.op("LayerNormalization", norm.x, *weights, axis=-1, epsilon=norm.epsilon)
            fused.type, fused.shape = norm.end.outputs[0].type, norm.end.outputs[0].shape
            replace_all_uses(norm.end.outputs[0], fused)
            remove_unused(model.graph, norm.end)
            rewrites.append(self.applied(norm.end, "ends a LayerNormalization"))
        return rewrites


class WrittenNorm(Struct, frozen=True):
    """A layer normalization written as single operators, the size of its axis, and its last node."""

    x: ir.Value
    width: int
    epsilon: float
    scale: ir.Value | None
    bias: ir.Value | None
    end: ir.Node


def _norm_of(node: ir.Node) -> WrittenNorm | None:
    """Return the normalization in which a Div divides by the standard deviation."""
    x = _centred(node.inputs[0])
    epsilon = None if x is None else _deviation(node.inputs[1], x)
    if x is None or epsilon is None or x.dtype not in (ir.DataType.FLOAT, ir.DataType.FLOAT16):
        return None
    width = (static_shape(node.outputs[0]) or [0])[-1]
    if not width or known_rank(node.outputs[0]) != known_rank(x):  # a constant may add axes
        return None
    end, scale = _weighted(node, "Mul", width)
    end, bias = _weighted(end, "Add", width)
    return WrittenNorm(x, width, epsilon, scale, bias, end)


def _centred(value: ir.Value | None) -> ir.Value | None:
    """Return x if a value is x - mean(x)."""
    node = producer_of(value, "Sub")
    if node is None or node.inputs[0] is None or not _is_mean_of(node.inputs[1], node.inputs[0]):
        return None
    return node.inputs[0]


def _deviation(value: ir.Value | None, x: ir.Value) -> float | None:
    """Return epsilon if a value is sqrt(mean((x - mean(x))^2) + epsilon)."""
    root = producer_of(value, "Sqrt")
    total = None if root is None else producer_of(root.inputs[0], "Add")
    if total is None:
        return None
    for mean, epsilon_value in (total.inputs, tuple(reversed(total.inputs))):
        number, reduced = constant_number(epsilon_value), producer_of(mean, "ReduceMean")
        square = None if reduced is None else reduced.inputs[0]
        if number is None or square is None or not _is_mean_of(mean, square):
            continue
        power = square.producer()
        if power is not None and _is_square(power) and _centred(power.inputs[0]) is x:
            return number
    return None


def _is_square(node: ir.Node) -> bool:
    if node.op_type == "Mul":
        return node.inputs[0] is node.inputs[1]
    return node.op_type == "Pow" and constant_number(node.inputs[1]) == 2


def _is_mean_of(value: ir.Value | None, x: ir.Value) -> bool:
    """Whether a value is the mean of x over its last axis, with keepdims."""
    node, rank = producer_of(value, "ReduceMean"), known_rank(x)
    if node is None or node.inputs[0] is not x or not rank or node.attributes.get_int("keepdims", 1) != 1:
        return False
    return reduction_axes(node) == [rank - 1]


def _weighted(node: ir.Node, op: str, width: int) -> tuple[ir.Node, ir.Value | None]:
    """Return the only reader and its weight [width] if it is `op`; else the node and None."""
    value = node.outputs[0]
    readers = consumers(value)
    if len(readers) != 1 or value.is_graph_output() or readers[0].op_type != op or readers[0].graph is not node.graph:
        return node, None
    weight = next((each for each in readers[0].inputs if each is not value), None)
    fits = weight is not None and constant(weight) is not None and static_shape(weight) == [width]
    return (readers[0], weight) if fits else (node, None)
