from __future__ import annotations

import itertools
import math
from collections.abc import Collection

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, consumers, is_read, opset_version, replace_output, static_shape

_LARGEST = 64
"""Largest number of elements of a tensor that counts as a vector of sizes."""


class _Element(Struct, frozen=True, eq=False):
    """An element of a computed value, by its row-major index."""

    source: ir.Value
    place: int


class _Part(Struct, frozen=True):
    """Consecutive elements: the constants `numbers` if `source` is None, else the elements of it at these indices."""

    source: ir.Value | None
    numbers: list[int]

    @property
    def is_whole(self) -> bool:
        """Whether it contains all elements of its source, in order."""
        return self.numbers == list(range(math.prod(static_shape(self.source) or [])))

    @property
    def is_vector(self) -> bool:
        """Whether its source has one axis."""
        return self.source is not None and len(static_shape(self.source) or []) == 1


_Elements = NDArray[np.object_]
"""Elements of a small tensor: an int if it is constant, else an `_Element`."""


class ShortenSizeVectors(Pass):
    """Builds shape vectors with the fewest nodes.

        Concat([1, 1], Unsqueeze(Gather(size, 0)), Unsqueeze(Gather(size, 1)))     ->  Concat([1, 1], size)
        Reshape(Slice(Reshape(Concat([0], n), [-1, 2]), -1:-9:-1), [-1])           ->  Concat([0], n)

    Why: exporters split a shape into numbers and join them again, and reverse the order of pads. The numbers are int64,
    which has no GPU kernels: each node runs on the CPU.

    How: the pass traces each element of a small int64 tensor through data movement to its source. If the elements are
    all elements of one tensor, in order, that tensor replaces them. If they are some of these, one Gather does.

    Limits: only if the result has fewer nodes. Exact.
    """

    code = "shorten-size-vectors"
    after = ("canonicalize", "fold-constants", "narrow-int64", "masked-suppression")
    target = "webgpu"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        elements, movers = _follow(model.graph)
        rewrites = []
        for node in reversed(list(movers)):
            value = node.outputs[0]
            if node not in movers or not _is_end(value, movers) or any(map(is_read, node.outputs[1:])):
                continue
            parts = _parts(elements[value])
            gone, needed = _only_for(node, movers), _node_count(parts, elements[value].shape)
            if needed < len(gone):
                add = Builder(model.graph, node, f"{node.name or node.op_type}/sizes", opset_version(model))
                replace_output(node, _build(add, parts, elements[value].shape))
                for each in gone:
                    del movers[each]
                    model.graph.remove(each, safe=True)
                rewrites.append(self.applied(node, f"the shape vector takes {needed} instead of {len(gone)} nodes"))
        return rewrites


def _follow(graph: ir.Graph) -> tuple[dict[ir.Value, _Elements], dict[ir.Node, None]]:
    """Return the elements of small values, and the nodes that only move elements, in order."""
    elements: dict[ir.Value, _Elements] = {}
    movers: dict[ir.Node, None] = {}
    for node in graph:
        if all(value.dtype == ir.DataType.INT64 for value in node.outputs):
            moved = moved_elements(node, [_elements(value, elements) for value in node.inputs])
            if moved is not None and all(each.size <= _LARGEST for each in moved):
                elements.update(zip(node.outputs, moved, strict=True))
                movers[node] = None
    return elements, movers


def _elements(value: ir.Value | None, known: dict[ir.Value, _Elements]) -> _Elements | None:
    if value is None or value in known or value.dtype != ir.DataType.INT64:
        return None if value is None else known.get(value)
    array, sizes = constant(value), static_shape(value)
    if sizes is None or math.prod(sizes) > _LARGEST:
        return None
    if array is not None:
        return array.astype(np.object_)
    elements = np.empty(math.prod(sizes), np.object_)
    elements[:] = [_Element(value, position) for position in range(elements.size)]
    return elements.reshape(sizes)


def _is_end(value: ir.Value, movers: Collection[ir.Node]) -> bool:
    return value.is_graph_output() or any(reader not in movers for reader in consumers(value))


def _only_for(node: ir.Node, movers: Collection[ir.Node]) -> list[ir.Node]:
    """Return a node and the nodes that only it needs, each after its readers."""
    nodes = [node]
    for each in nodes:
        makers = (value.producer() for value in each.inputs if value is not None)
        for maker in dict.fromkeys(makers):
            if (
                maker is not None
                and maker in movers
                and maker not in nodes
                and all(_read_by(value, nodes) for value in maker.outputs)
            ):
                nodes.append(maker)
    return nodes


def _read_by(value: ir.Value, nodes: Collection[ir.Node]) -> bool:
    return not value.is_graph_output() and all(reader in nodes for reader in consumers(value))


def _parts(elements: _Elements) -> list[_Part]:
    """Return the fewest parts that a value consists of."""

    def source(element: _Element | int) -> int:
        return id(element.source) if isinstance(element, _Element) else 0

    parts = []
    for _, group in itertools.groupby(elements.ravel().tolist(), source):
        row = list(group)
        first = row[0]
        if isinstance(first, _Element):
            parts.append(_Part(first.source, [each.place for each in row]))
        else:
            parts.append(_Part(None, row))
    return parts


def _node_count(parts: list[_Part], shape: tuple[int, ...]) -> int:
    """Return the number of nodes that `_build` adds."""
    if len(parts) == 1 and parts[0].source is not None:
        if parts[0].is_whole:
            return int(static_shape(parts[0].source) != list(shape))
        return 1 if parts[0].is_vector else 2
    if len(parts) <= 1:
        return 0
    inputs = sum((not each.is_whole) + (not each.is_vector) for each in parts if each.source is not None)
    return inputs + (1 if len(shape) == 1 else 2)


def _build(add: Builder, parts: list[_Part], shape: tuple[int, ...]) -> ir.Value:
    if len(parts) <= 1:
        return _built(add, parts[0] if parts else _Part(None, []), shape)
    line = add.op("Concat", *(_built(add, each, (len(each.numbers),)) for each in parts), axis=0)
    return line if len(shape) == 1 else add.reshape(line, shape)


def _built(add: Builder, part: _Part, shape: tuple[int, ...]) -> ir.Value:
    """Return the elements of a part with this shape."""
    if part.source is None:
        return add.const(np.reshape(part.numbers, shape), np.int64)
    if part.is_whole:
        return part.source if static_shape(part.source) == list(shape) else add.reshape(part.source, shape)
    vector = part.source if part.is_vector else add.reshape(part.source, [-1])
    return add.op("Gather", vector, add.const(np.reshape(part.numbers, shape), np.int64), axis=0)
