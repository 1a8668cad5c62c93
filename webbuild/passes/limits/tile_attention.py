from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.row_parallel import (
    ROW_AXIS,
    RowParallelRegion,
    RowsEscapeError,
    is_matrix_product,
    row_parallel_region,
)
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import find_nodes, nbytes, replace_all_uses, static_shape

_MAX_TILES = 64
"""Maximum number of parts: each runs every operator of the region again."""
_MAX_CONCAT_INPUTS = 7
"""Operands of one Concat: WebGPU guarantees 8 storage buffers per shader, and the output takes one."""


class TileAttention(Pass):
    """Attention over all queries -> `Concat` of attention over tiles of queries, if scores exceed the buffer limit.

    Why: every device binds 128 MiB to a shader, most desktops 2 GiB, many phones no more than the minimum. Above the
    limit the run throws "exceeding maxStorageBufferBindingSize". The scores of 8 heads over 4,096 positions take 512
    MiB, and so does every tensor up to the product with the values.

    How: a query's scores, their scale, mask and Softmax, and the sum over the values do not depend on other queries.
    The pass cuts the left side of the first product along its rows into as few parts as fit. It copies all nodes up to
    the products that end the region for each part, and a Concat joins the rows.

    Limits: at most 64 parts, and every node in the region must compute row by row; otherwise nothing is rewritten.
    Exact except for the order in which a product is summed.
    """

    code = "tile-attention"
    after = ("decompose-attention", "fold-constants", "split-large-weights")
    target = "webgpu"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites: list[Rewrite] = []
        for node in find_nodes(model, "MatMul"):
            size = nbytes(node.outputs[0])
            if not is_matrix_product(node) or size is None or size <= options.max_binding_size:
                continue
            rows = (static_shape(node.outputs[0]) or [])[ROW_AXIS]
            try:
                region = row_parallel_region(node, model.graph, options.max_binding_size)
                largest = max(nbytes(each.outputs[0]) or 0 for each in region.nodes)
                rows_per_tile = options.max_binding_size * rows // largest
                if rows_per_tile * _MAX_TILES < rows:
                    raise RowsEscapeError(f"it would need more than {_MAX_TILES} parts")
            except RowsEscapeError as reason:
                rewrites.append(self.skipped(node, f"{size >> 20} MiB: {reason}"))
                continue
            parts = -(-rows // rows_per_tile)
            _tile(model.graph, region, rows, -(-rows // parts))
            rewrites.append(self.applied(node, f"{largest >> 20} MiB of scores in {parts} parts of {rows} rows"))
        return rewrites


def _tile(graph: ir.Graph, region: RowParallelRegion, rows: int, rows_per_tile: int) -> None:
    """Compute the ends of a region for `rows_per_tile` rows at a time."""
    add = Builder(graph, region.before, f"{region.nodes[0].name or 'MatMul'}/rows")
    pieces: dict[ir.Node, list[ir.Value]] = {end: [] for end in region.end_nodes}
    for start in range(0, rows, rows_per_tile):
        end = min(start + rows_per_tile, rows)
        tiled: dict[ir.Value, ir.Value] = {}
        for node in (*region.nodes, *region.end_nodes):
            tiled[node.outputs[0]] = _clone_for_rows(
                add, node, _operands(add, node, tiled, rows, start, end), end - start
            )
        for last in region.end_nodes:
            pieces[last].append(tiled[last.outputs[0]])
    for last, parts in pieces.items():
        replace_all_uses(last.outputs[0], _joined(add, parts, last.outputs[0]))
    graph.remove([*region.nodes, *region.end_nodes], safe=True)


def _operands(
    add: Builder, node: ir.Node, tiled: Mapping[ir.Value, ir.Value], rows: int, start: int, end: int
) -> list[ir.Value | None]:
    inputs: list[ir.Value | None] = [value if value is None else tiled.get(value, value) for value in node.inputs]
    if node.op_type == "Reshape":
        shape = static_shape(node.outputs[0]) or []
        return [inputs[0], add.const([*shape[:ROW_AXIS], end - start, shape[-1]], np.int64)]
    for index, value in enumerate(node.inputs[:1] if node.op_type == "MatMul" else node.inputs):
        shape = static_shape(value) or []
        if value is not None and value not in tiled and len(shape) > 1 and shape[ROW_AXIS] == rows:
            inputs[index] = add.slice(value, len(shape) + ROW_AXIS, start, end)
    return inputs


def _clone_for_rows(add: Builder, node: ir.Node, inputs: Sequence[ir.Value | None], rows: int) -> ir.Value:
    """Add a copy of a node for `rows` rows."""
    result = add.op(node.op_type, *inputs)
    clone, shape = result.producer(), static_shape(node.outputs[0]) or []
    assert clone is not None
    clone.attributes.update(node.attributes)
    result.type, result.shape = node.outputs[0].type, ir.Shape([*shape[:ROW_AXIS], rows, shape[-1]])
    return result


def _joined(add: Builder, parts: Sequence[ir.Value], original: ir.Value) -> ir.Value:
    """Concatenate rows, at most 7 parts per Concat."""
    shape = static_shape(original) or []
    while len(parts) > 1:
        parts = [
            _concat(add, parts[first : first + _MAX_CONCAT_INPUTS], shape)
            for first in range(0, len(parts), _MAX_CONCAT_INPUTS)
        ]
    return parts[0]


def _concat(add: Builder, parts: Sequence[ir.Value], shape: Sequence[int]) -> ir.Value:
    if len(parts) == 1:
        return parts[0]
    result = add.op("Concat", *parts, axis=len(shape) + ROW_AXIS)
    rows = sum((static_shape(part) or [0, 0])[ROW_AXIS] for part in parts)
    result.type, result.shape = parts[0].type, ir.Shape([*shape[:ROW_AXIS], rows, shape[-1]])
    return result
