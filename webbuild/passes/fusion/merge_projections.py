from __future__ import annotations

from collections import defaultdict

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.limits.split_many_outputs import MAX_OUTPUTS
from webbuild.passes.rewrite import constant, consumers, find_nodes, replace_output, static_shape

_FEWEST = 3
"""Minimum number of projections that are merged."""
_HEADS_FIRST = (0, 2, 1, 3)


class MergeProjections(Pass):
    """`MatMul(x, wq)`, `MatMul(x, wk)`, `MatMul(x, wv)` -> `Split(MatMul(x, [wq wk wv]))`.

        MatMul(x, wq) + bq, MatMul(x, wk) + bk, MatMul(x, wv) + bv
            ->  Split(Transpose(Reshape(MatMul(x, [wq wk wv]) + [bq bk bv])))

    Why: attention projects its input three times, and transposes each result: six shaders. One product with the
    concatenated weights, one Transpose and a Split are three.

    How: if all parts are reshaped to heads of the same size, they are transposed before the Split. Parts with another
    order of axes, such as keys, are transposed again.

    Limits: three to seven projections of the same width, with constant weights that nothing else reads and that fit in
    one buffer. A projection without a bias, such as the keys of BEiT and Whisper, gets zeros if another has a bias.

    Exact except for the order of a sum: accurate to 1e-5.
    """

    code = "merge-projections"
    after = ("canonicalize", "fold-constants", "fold-scale")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        groups: dict[tuple[ir.Value, int], list[Projection]] = defaultdict(list)
        for node in find_nodes(model, "MatMul"):
            projection = _projection(node)
            if projection is not None and node.inputs[0] is not None:
                groups[node.inputs[0], projection.weights.shape[1]].append(projection)
        rewrites = []
        for (x, _), group in groups.items():
            fits = sum(each.weights.nbytes for each in group) <= options.max_binding_size
            if fits and _FEWEST <= len(group) <= MAX_OUTPUTS and len({each.weights.dtype for each in group}) == 1:
                _merge(model.graph, x, group)
                rewrites.append(self.applied(group[0].product, f"is merged into one product of {len(group)}"))
        return rewrites


class Projection(Struct, frozen=True):
    """A product with constant weights [K, C], its bias (None for none), and its last node."""

    product: ir.Node
    weights: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    end: ir.Node


def _projection(node: ir.Node) -> Projection | None:
    weight = node.inputs[1]
    weights = constant(weight)
    if weight is None or weights is None or weights.ndim != 2 or len(weight.uses()) != 1 or weights.dtype.kind != "f":
        return None
    if static_shape(node.inputs[0]) is None or static_shape(node.outputs[0]) is None:
        return None
    readers = consumers(node.outputs[0])
    if len(readers) == 1 and readers[0].op_type == "Add" and not node.outputs[0].is_graph_output():
        other = next((value for value in readers[0].inputs if value is not node.outputs[0]), None)
        bias = constant(other)
        if bias is not None and bias.shape == weights.shape[1:] and readers[0].graph is node.graph:
            return Projection(node, weights, bias, readers[0])
    return Projection(node, weights, None, node)


def _merge(graph: ir.Graph, x: ir.Value, group: list[Projection]) -> None:
    first = group[0].product
    add = Builder(graph, first, f"{first.name or 'MatMul'}/merged")
    kind = group[0].weights.dtype
    value = add.op("MatMul", x, add.const(np.concatenate([each.weights for each in group], 1), kind))
    if any(each.bias is not None for each in group):
        zeros = np.zeros(group[0].weights.shape[1], kind)
        biases = [zeros if each.bias is None else each.bias for each in group]
        value = add.op("Add", value, add.const(np.concatenate(biases), kind))
    heads = [_heads(each.end) for each in group]
    sizes = {each[1] for each in heads if each is not None}
    if len(sizes) == 1 and all(each is not None for each in heads):
        moves = [each[0] for each in heads if each is not None]
        _split_heads(add, value, moves, *sizes)
        for move in moves:
            remove_unused(graph, move)
        return
    for each, part in zip(group, add.split(value, len(group), -1), strict=True):
        replace_output(each.end, part)
        remove_unused(graph, each.end)


def _heads(node: ir.Node) -> tuple[ir.Node, tuple[int, ...]] | None:
    """Return the Transpose of a projection's heads and its input shape [B, N, H, D], None if there is none."""
    for op in ("Reshape", "Transpose"):
        readers = consumers(node.outputs[0])
        alone = len(readers) == 1 and not node.outputs[0].is_graph_output() and readers[0].graph is node.graph
        if not alone or readers[0].op_type != op:
            return None
        node = readers[0]
    sizes, flat = static_shape(node.inputs[0]), static_shape(node.inputs[0].producer().inputs[0])  # type: ignore[union-attr]
    perm = node.attributes.get_ints("perm", [])
    if sizes is None or flat is None or len(sizes) != 4 or len(flat) != 3 or sizes[:2] != flat[:2]:
        return None
    return (node, tuple(sizes)) if tuple(perm) in (_HEADS_FIRST, (0, 2, 3, 1)) else None


def _split_heads(add: Builder, value: ir.Value, moves: list[ir.Node], sizes: tuple[int, ...]) -> None:
    """Transpose all heads, split them, and transpose those again that need another order of axes."""
    batch, tokens, heads, size = sizes
    count = len(moves)
    parts = add.op("Transpose", add.reshape(value, [batch, tokens, count, heads, size]), perm=[2, 0, 3, 1, 4])
    # without this Reshape, the engine moves the Transpose after the Split
    parts = add.reshape(parts, [count * batch * heads, tokens, size])
    for move, part in zip(moves, add.split(parts, count, 0), strict=True):
        moved = add.reshape(part, [batch, heads, tokens, size])
        if tuple(move.attributes.get_ints("perm", [])) != _HEADS_FIRST:
            moved = add.op("Transpose", moved, perm=[0, 1, 3, 2])
        replace_output(move, moved)
