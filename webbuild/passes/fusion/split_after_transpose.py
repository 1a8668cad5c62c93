from __future__ import annotations

import math
from collections.abc import Hashable

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.movement import (
    KERNELS,
    MOVING,
    Transposition,
    as_transposition,
    element_sources,
    moved_data,
    movement_key,
)
from webbuild.passes.analysis.use_def import slice_bounds
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.limits.split_many_outputs import MAX_OUTPUTS
from webbuild.passes.rewrite import constant, consumers, replace_output, static_shape

_LARGEST = 1 << 24
"""Maximum elements of a part whose movement is analysed."""
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class SplitAfterTranspose(Pass):
    """`Transpose(Slice(x, 0:a))`, `Transpose(Slice(x, a:L))` -> `Split(Transpose(x), [a, L - a])`.

        Transpose(Slice(x [1, L, C], 0:a)), Transpose(Slice(x, a:L))    ->  Split(Transpose(x), a, L - a)
        Transpose(Gather<axis = 3>(x [1, Q, H, 4, 2], 0)), ..           ->  Split(Transpose(x))

    Why: deformable attention cuts its values and sampling points into the levels of a feature pyramid, and transposes
    each part for a GridSample: two shaders for each of four levels, instead of two for all.

    How: the pass computes the movement of each part. All must be the same Transpose, except for the size of one axis,
    and the parts must be adjacent.

    Limits: fixed shapes, floats, two to seven parts that together are the whole tensor.

    Exact: the same elements.
    """

    code = "split-after-transpose"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "eliminate-no-ops")

    def __init__(self, options: PassOptions = PassOptions()) -> None:  # noqa: B008 - it is frozen
        super().__init__(options)
        self._ways: dict[Hashable, Transposition | None] = {}

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        graph, rewrites = model.graph, list[Rewrite]()
        sources = {node.inputs[0]: None for node in graph if node.op_type in ("Gather", "Slice", "Split")}
        for source in sources:
            done = None if source is None else self._gather(graph, source)
            rewrites += [] if done is None else [done]
        return rewrites

    def _gather(self, graph: ir.Graph, source: ir.Value) -> Rewrite | None:
        shape = static_shape(source)
        parts = [] if shape is None else _parts(graph, source, shape)
        if shape is None or not parts or source.dtype not in _FLOATS:
            return None
        moved = [self._moved(part, shape) for part in parts]
        moved_parts = [each for each in moved if each is not None]
        kernels = {node for part in parts for node in part.chain if node.op_type in KERNELS}
        if len(moved_parts) < len(parts) or len(kernels) <= 2 or not _is_alike(moved_parts):
            return None
        axis, perm = moved_parts[0].axis, moved_parts[0].perm
        sizes = [
            *moved_parts[0].sizes[:axis],
            sum(each.sizes[axis] for each in moved_parts),
            *moved_parts[0].sizes[axis + 1 :],
        ]
        first = next(node for node in graph if node in kernels)
        add = Builder(graph, first, f"{first.name or first.op_type}/moved")
        value = add.op("Transpose", add.reshape(source, sizes), perm=list(perm))
        at = perm.index(axis)
        before = math.prod(sizes[each] for each in perm[:at])
        after = math.prod(sizes[each] for each in perm[at + 1 :])
        # [.., sum, ..] -> [1, before, sum after], or the engine moves a Transpose after the Split for each part
        value = add.reshape(value, [1, before, sizes[axis] * after])
        split = add.split_sizes(value, [each.sizes[axis] * after for each in moved_parts], 2)
        for part, each in zip(parts, split, strict=True):
            replace_output(part.end, add.reshape(each, static_shape(part.end.outputs[0]) or []))
        for part in parts:
            remove_unused(graph, part.end)
        return self.applied(first, f"{len(parts)} parts are transposed as one")

    def _moved(self, part: Part, shape: list[int]) -> MovedPart | None:
        """Return a part's movement as a Transpose in which the axis of the parts can grow; None if it is not one."""
        sizes, end = static_shape(part.value), part.end.outputs[0]
        if sizes is None or len(part.chain) < 2 or static_shape(end) is None:
            return None
        key = movement_key(part.chain[1:], part.value, end)
        if key not in self._ways:
            self._ways[key] = _transposition(part, sizes)
        way = self._ways[key]
        return None if way is None or not way.perm else _with_axis(way, math.prod(shape[: part.axis]))


class Part(Struct, frozen=True):
    """A part of a tensor: `start` to `stop` of an axis, its value, and the nodes that move it."""

    axis: int
    start: int
    stop: int
    value: ir.Value
    chain: list[ir.Node]

    @property
    def end(self) -> ir.Node:
        """The last node that moves it."""
        return self.chain[-1]


class MovedPart(Struct, frozen=True):
    """A part as a Transpose: the shape before it, its permutation, and the axis along which the parts are split."""

    sizes: tuple[int, ...]
    perm: tuple[int, ...]
    axis: int


def _parts(graph: ir.Graph, source: ir.Value, shape: list[int]) -> list[Part]:
    """Return the parts of a tensor in order; none if they do not cover it, or other nodes read it."""
    parts = [part for node in consumers(source) for part in _cuts(node, shape)]
    parts.sort(key=lambda part: part.start)
    ends = [0, *(part.stop for part in parts)]
    whole = len({part.axis for part in parts}) == 1 and [part.start for part in parts] == ends[:-1]
    if not whole or ends[-1] != shape[parts[0].axis] or not 2 <= len(parts) <= MAX_OUTPUTS:
        return []
    return parts if all(node.graph is graph for part in parts for node in part.chain) else []


def _cuts(node: ir.Node, shape: list[int]) -> list[Part]:
    """Return the parts that a Slice, a Split or a Gather of one index cuts out."""
    axis = node.attributes.get_int("axis", 0) % len(shape)
    if (bounds := slice_bounds(node)) is not None:
        axis = bounds[2] % len(shape)
        start, stop, _ = slice(*bounds[:2]).indices(shape[axis])
        return [_chain(node, axis, start, stop, node.outputs[0])]
    if node.op_type == "Gather" and (index := constant(node.inputs[1])) is not None and index.size == 1:
        start = int(index.reshape(())) % shape[axis]
        return [_chain(node, axis, start, start + 1, node.outputs[0])]
    if node.op_type != "Split":
        return []
    parts, start = list[Part](), 0
    for output in node.outputs:
        size = (static_shape(output) or [0] * len(shape))[axis]
        parts.append(_chain(node, axis, start, start + size, output))
        start += size
    return parts


def _chain(node: ir.Node, axis: int, start: int, stop: int, value: ir.Value) -> Part:
    """Return a part with all following nodes that only move its elements."""
    chain, last = [node], value
    while len(readers := consumers(last)) == 1 and not last.is_graph_output():
        data = moved_data(readers[0])
        if readers[0].op_type not in MOVING or data != [last] or len(readers[0].outputs) != 1:
            break
        chain.append(readers[0])
        last = readers[0].outputs[0]
    return Part(axis, start, stop, value, chain)


def _transposition(part: Part, sizes: list[int]) -> Transposition | None:
    """Return a part's movement as a Transpose, None if it is not one."""
    count = math.prod(sizes)
    places = element_sources(part.chain[1:], part.value, sizes, part.end.outputs[0]) if 0 < count <= _LARGEST else None
    return None if places is None else as_transposition(places, count)


def _with_axis(way: Transposition, before: int) -> MovedPart | None:
    """Return a Transpose with an axis after exactly `before` outer elements; None if no axis can be split so."""
    sizes, perm = list(way.sizes), list(way.perm)
    for at, size in enumerate([*sizes, 1]):
        outer = math.prod(sizes[:at])
        if outer == before:
            rest = [*sizes, 1] if at == len(sizes) else sizes
            return MovedPart(tuple(rest), tuple([*perm, at] if at == len(sizes) else perm), at)
        if outer * size > before and before % outer == 0 and outer * size % before == 0:
            inner = before // outer  # undo the merge of two adjacent axes
            grown = [each + (each > at) for each in perm]
            position = grown.index(at)
            order = (*grown[: position + 1], at + 1, *grown[position + 1 :])
            return MovedPart((*sizes[:at], inner, size // inner, *sizes[at + 1 :]), order, at + 1)
    return None


def _is_alike(parts: list[MovedPart]) -> bool:
    """Whether all parts are the same Transpose, except for the size of their axis."""
    rest = {(each.axis, each.perm, each.sizes[: each.axis], each.sizes[each.axis + 1 :]) for each in parts}
    return len(rest) == 1
