from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.channels_last import TO_CHANNELS_FIRST, TO_CHANNELS_LAST, is_free_transpose
from webbuild.passes.analysis.movement import (
    KERNELS,
    RowSelection,
    Transposition,
    as_rows,
    as_transposition,
    element_sources,
    moved_data,
    movement_key,
    takes_every_row,
)
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import replace_output, static_shape

_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_SHORTEST = 8
"""Minimum elements of a gathered row: each row costs an index of 8 bytes."""
_MOST = 1 << 16
"""Maximum number of gathered rows."""
_LARGEST = 1 << 24
"""Maximum elements of a value whose movement is analysed."""


class FoldDataMovement(Pass):
    """A chain of `Slice`, `Concat`, `Reshape` and `Transpose` -> one `Transpose` or one `Gather`.

        Slice(x), Slice(x) -> Concat -> Reshape -> Transpose    ->  Gather(Reshape(x), rows)    shifted windows
        Transpose -> Reshape -> Transpose                       ->  Reshape -> Transpose
        Slice(x), Slice(x), Slice(x), Slice(x) -> Concat        ->  Gather(Reshape(x), rows)    merged patches
        Transpose(x [N, 1, C]) [1, N, C]                        ->  Reshape(x)                  a batch of one

    Why: each step is a shader and a copy of the whole tensor. Shifting the windows of a Swin transformer takes seven of
    them, and seven to shift them back.

    How: the pass computes where each element ends up. If that is a Transpose of some shape, it replaces the chain, else
    a Gather of the longest rows that stay together.

    Limits: fixed shapes, floats, one source. Rows of fewer than 8 elements, and more than 65,536 rows, are not
    gathered: their indices would cost more than the pass saves. A Transpose of a convolution's output to channels last
    is not counted, because it cancels the engine's. A Gather of every row stays: it stops the engine from moving its
    Transposes past it.

    Exact: the same elements.
    """

    code = "fold-data-movement"
    target = "webgpu"
    after = ("canonicalize", "fold-constants", "eliminate-no-ops", "fold-empty-tensors", "split-after-transpose")

    def __init__(self, options: PassOptions = PassOptions()) -> None:  # noqa: B008 - it is frozen
        super().__init__(options)
        self._ways: dict[Hashable, Transposition | RowSelection | None] = {}

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        graph = model.graph
        if not any(node.op_type in KERNELS for node in graph):
            return []
        sources = _sources(graph)
        rewrites = []
        for node in list(graph):
            if node.graph is None or len(node.outputs) != 1 or not _is_boundary(node.outputs[0], sources):
                continue
            if (done := self._fold(graph, node, sources)) is not None:
                rewrites.append(done)
        return rewrites

    def _fold(self, graph: ir.Graph, node: ir.Node, sources: dict[ir.Value, ir.Value]) -> Rewrite | None:
        result, source = node.outputs[0], sources[node.outputs[0]]
        chain = _chain(node, source)
        gone = _removable(chain, node)
        saved = sum(each.op_type in KERNELS and not is_free_transpose(each) for each in gone)
        if not saved or (saved == 1 and len(gone) == 1 and not _moves_tokens(node)):
            return None
        way = self._whole_movement(chain, source, result)
        if way is None or saved <= (0 if isinstance(way, Transposition) and not way.perm else 1):
            return None
        add = Builder(graph, node, f"{node.name or node.op_type}/moved")
        replace_output(node, _write(add, way, source, static_shape(result) or []))
        graph.remove(gone, safe=False)
        what = "Gather" if isinstance(way, RowSelection) else "Transpose" if way.perm else "Reshape"
        return self.applied(node, f"{saved} operators that move data are one {what}")

    def _whole_movement(
        self, chain: list[ir.Node], source: ir.Value, result: ir.Value
    ) -> Transposition | RowSelection | None:
        """Return a chain's movement as one operation, cached."""
        key = movement_key(chain, source, result)
        if key not in self._ways:
            self._ways[key] = _whole_movement(chain, source, result)
        return self._ways[key]


def _moves_tokens(node: ir.Node) -> bool:
    """Whether a node is a Transpose other than NCHW to NHWC or back, which may cancel one of the engine's."""
    perm = tuple(node.attributes.get_ints("perm", [])) if node.op_type == "Transpose" else ()
    return node.op_type == "Transpose" and perm not in (TO_CHANNELS_LAST, TO_CHANNELS_FIRST)


def _sources(graph: ir.Graph) -> dict[ir.Value, ir.Value]:
    """Return the source of each value whose elements all come from one other value."""
    sources: dict[ir.Value, ir.Value] = {}
    for node in graph:
        data = None if takes_every_row(node) else moved_data(node)
        if data is None or any(value.dtype not in _FLOATS or value.is_initializer() for value in data):
            continue
        origins = {sources.get(value, value) for value in data}
        if len(origins) == 1 and static_shape(source := origins.pop()) is not None:
            sources.update((output, source) for output in node.outputs)
    return sources


def _is_boundary(value: ir.Value, sources: dict[ir.Value, ir.Value]) -> bool:
    """Whether a value ends a chain: a node reads it that does not only move elements."""
    if value not in sources or value.is_graph_output():
        return False
    return any(use.node.outputs[0] not in sources for use in value.uses())


def _chain(node: ir.Node, source: ir.Value) -> list[ir.Node]:
    """Return the nodes from a source to the last node, in topological order."""
    nodes: dict[ir.Node, None] = {}
    waiting = [node]
    while waiting:
        producers = [value.producer() for value in moved_data(waiting[-1]) or [] if value is not source]
        missing = [producer for producer in producers if producer is not None and producer not in nodes]
        if missing:
            waiting += missing
        else:
            nodes.setdefault(waiting.pop())
    return list(nodes)


def _removable(chain: list[ir.Node], last: ir.Node) -> list[ir.Node]:
    """Return the nodes of a chain that only its end needs."""
    gone = {last}
    for node in reversed(chain[:-1]):
        uses = [use.node for output in node.outputs for use in output.uses()]
        if uses and all(use in gone for use in uses) and not any(output.is_graph_output() for output in node.outputs):
            gone.add(node)
    return [node for node in chain if node in gone]


def _whole_movement(chain: list[ir.Node], source: ir.Value, result: ir.Value) -> Transposition | RowSelection | None:
    shape = static_shape(source)
    if shape is None or static_shape(result) is None or not 0 < (count := int(np.prod(shape))) <= _LARGEST:
        return None
    places = element_sources(chain, source, shape, result)
    if places is None or not places.size:
        return None
    if (transposed := as_transposition(places, count)) is not None:
        return transposed
    taken = as_rows(places, count)
    return taken if taken.length >= _SHORTEST and len(taken.rows) <= _MOST else None


def _write(add: Builder, way: Transposition | RowSelection, source: ir.Value, shape: list[int]) -> ir.Value:
    if isinstance(way, RowSelection):
        rows = add.reshape(source, [-1, way.length])  # [rows, length]
        rows = add.op("Gather", rows, add.const(way.rows.tolist(), np.int64), axis=0)
        return add.reshape(rows, shape)
    if not way.perm:
        return add.reshape(source, shape)
    moved = add.op("Transpose", add.reshape(source, list(way.sizes)), perm=list(way.perm))
    return add.reshape(moved, shape)
