from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.analysis.movement import moved_data
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.rewrite import (
    constant,
    constant_number,
    find_nodes,
    only_reader,
    producer_of,
    replace_all_uses,
    static_shape,
)

_DOMAIN = "com.microsoft"
_LARGEST = 1 << 22
"""Maximum elements of a value whose elements are traced."""
_DEEPEST = 8
"""Maximum number of nodes in the chain that rotates the pairs."""

Places = NDArray[np.int64]
Angles = NDArray[np.floating[Any]]


class FuseRotaryEmbedding(Pass):
    """`x * cos + rotate_half(x) * sin` -> `RotaryEmbedding(x, cos, sin)`.

        x * cos + Concat(-x[.., D / 2:], x[.., :D / 2]) * sin    ->  RotaryEmbedding(x, cos, sin)
        Concat(x[.., :p, :], RotaryEmbedding(x[.., p:, :]))      ->  RotaryEmbedding(x)    a class token is not rotated
        RotaryEmbedding(x) * s                                   ->  RotaryEmbedding(x)    with s cos and s sin

    Why: one shader for the queries and one for the keys of every layer, instead of seven for each.

    How: the pass traces which element of x each element of the second product is. The pairs may be halves or
    neighbours. Tokens that are not rotated get a cosine of 1 and a sine of 0.

    Limits: float32, fixed shapes, constant angles, x of [.., tokens, D]. The operator is ONNX Runtime's; every build
    has its kernel.

    Exact except for rounding: accurate to 1e-6.
    """

    code = "fuse-rotary-embedding"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "fold-scale", "eliminate-no-ops")
    scope = "main graph"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Add"):
            rotation = _rotation(node)
            if rotation is None:
                continue
            rotation = _with_scale(_with_prefix(rotation))
            model.graph.opset_imports.setdefault(_DOMAIN, 1)
            _write(model.graph, rotation)
            rewrites.append(self.applied(node, "is fused with the nodes before it into a RotaryEmbedding"))
        return rewrites


class Rotation(Struct, frozen=True):
    """The rotated value, cos and sin of each token and pair [N, D / 2], whether neighbours are pairs, the last node."""

    x: ir.Value
    cos: Angles
    sin: Angles
    neighbours: bool
    end: ir.Node


def _rotation(node: ir.Node) -> Rotation | None:
    """Return the rotary embedding that an Add ends, None if it ends none."""
    products = [producer_of(value, "Mul") for value in node.inputs]
    for straight, turned in (products, products[::-1]):
        if straight is None or turned is None or straight is turned:
            return None
        (x, cos), (rotated, sin) = _operands(straight), _operands(turned)
        shape = static_shape(x)
        if x is None or rotated is None or cos is None or sin is None or shape is None or x.dtype != ir.DataType.FLOAT:
            continue
        if len(shape) < 3 or shape[-1] % 2 or static_shape(node.outputs[0]) != shape or math.prod(shape) > _LARGEST:
            continue
        numbers = np.arange(1, math.prod(shape) + 1).reshape(shape)
        places = _element_indices(rotated, {x: numbers})
        tables = [_table(each, shape) for each in (cos, sin)]
        if places is None or any(each is None for each in tables):
            continue
        for neighbours in (False, True):
            if not np.array_equal(places, _rotated_indices(numbers, neighbours=neighbours)):
                continue
            one, other = (_of_pairs(each, neighbours=neighbours) for each in tables if each is not None)
            if one is not None and other is not None:
                return Rotation(x, one, other, neighbours, node)
    return None


def _operands(product: ir.Node) -> tuple[ir.Value | None, Angles | None]:
    """Return the computed operand of a product, then the constant operand."""
    first, second = product.inputs
    array = constant(second)
    return (first, array) if array is not None else (second, constant(first))


def _element_indices(value: ir.Value, known: Mapping[ir.Value, Places], depth: int = _DEEPEST) -> Places | None:
    """Return which element of x each element of a value is, negated if its sign changes; None if not traceable."""
    if value in known:
        return known[value]
    node = value.producer()
    if node is None or depth == 0:
        return None
    if node.op_type == "Neg" and node.inputs[0] is not None:
        inner = _element_indices(node.inputs[0], known, depth - 1)
        return None if inner is None else -inner
    data = moved_data(node)
    operands = [] if data is None else [_element_indices(each, known, depth - 1) for each in data]
    moved = moved_elements(node, operands) if operands and all(each is not None for each in operands) else None
    return None if moved is None else moved[list(node.outputs).index(value)]


def _rotated_indices(numbers: Places, *, neighbours: bool) -> Places:
    """Return the signed index of each element's partner in its pair."""
    if neighbours:
        return np.stack([-numbers[..., 1::2], numbers[..., ::2]], -1).reshape(numbers.shape)
    half = numbers.shape[-1] // 2
    return np.concatenate([-numbers[..., half:], numbers[..., :half]], -1)


def _table(angles: Angles, shape: list[int]) -> Angles | None:
    """Return angles [N, D], None if they vary along other axes than the last two."""
    if angles.ndim > len(shape) or any(size != 1 for size in angles.shape[:-2]):
        return None
    return np.broadcast_to(angles.reshape(angles.shape[-2:]), shape[-2:])


def _of_pairs(table: Angles, *, neighbours: bool) -> Angles | None:
    """Return angles [N, D / 2], None if the two elements of a pair differ."""
    half = table.shape[-1] // 2
    one, other = (table[:, ::2], table[:, 1::2]) if neighbours else (table[:, :half], table[:, half:])
    return one if np.array_equal(one, other) else None


def _with_prefix(rotation: Rotation) -> Rotation:
    """Extend a rotation to all tokens, if a Concat puts unrotated tokens before it."""
    join, part = only_reader(rotation.end.outputs[0], "Concat"), rotation.x.producer()
    source = None if part is None or part.op_type not in ("Slice", "Split") else part.inputs[0]
    shape = static_shape(source)
    if join is None or source is None or not shape or math.prod(shape) > _LARGEST or len(join.inputs) != 2:
        return rotation
    first, second = join.inputs
    numbers = np.arange(1, math.prod(shape) + 1).reshape(shape)
    if first is None or second is not rotation.end.outputs[0] or static_shape(join.outputs[0]) != shape:
        return rotation
    prefix, turned = (_element_indices(each, {source: numbers}, 1) for each in (first, rotation.x))
    count = shape[-2] - len(rotation.cos)
    if prefix is None or turned is None or not np.array_equal(prefix, numbers[..., :count, :]):
        return rotation
    if not np.array_equal(turned, numbers[..., count:, :]):
        return rotation
    before = np.zeros((count, rotation.cos.shape[1]), rotation.cos.dtype)
    cos, sin = np.concatenate([before + 1, rotation.cos]), np.concatenate([before, rotation.sin])
    return Rotation(source, cos, sin, rotation.neighbours, join)


def _with_scale(rotation: Rotation) -> Rotation:
    """Fold a scalar factor of the result into the rotation."""
    product = only_reader(rotation.end.outputs[0], "Mul")
    if product is None or static_shape(product.outputs[0]) != static_shape(rotation.end.outputs[0]):
        return rotation
    factor = next((number for each in product.inputs if (number := constant_number(each)) is not None), None)
    if factor is None:
        return rotation
    return Rotation(rotation.x, rotation.cos * factor, rotation.sin * factor, rotation.neighbours, product)


def _write(graph: ir.Graph, rotation: Rotation) -> None:
    shape = static_shape(rotation.x) or []
    name = f"{rotation.end.name or rotation.end.op_type}/rotary"
    add = Builder(graph, rotation.end, name)
    heads = [1, math.prod(shape[:-2]), *shape[-2:]]  # [1, H, N, D]
    x = rotation.x if shape == heads else add.reshape(rotation.x, heads)
    angles = [add.const(each.astype(np.float32)) for each in (rotation.cos, rotation.sin)]
    fused = ir.node(
        "RotaryEmbedding",
        [x, add.const([0], np.int64), *angles],
        attributes={"interleaved": int(rotation.neighbours)},
        domain=_DOMAIN,
        name=name,
    )
    graph.insert_before(rotation.end, fused)
    result = fused.outputs[0]
    result.name, result.type, result.shape = f"{name}/output", rotation.x.type, ir.Shape(heads)
    replace_all_uses(rotation.end.outputs[0], result if shape == heads else add.reshape(result, shape))
    remove_unused(graph, rotation.end)
