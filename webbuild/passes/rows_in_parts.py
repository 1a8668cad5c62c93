"""Computed tensors larger than what every device gives to a shader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nbytes, nodes_of, replace
from webbuild.passes._row_region import ROWS, LeavesError, Region, is_product, region_of

_MOST = 64
"""Parts that are worth it: each runs every operator of the region once more."""
_JOINED = 7
"""Operands of one Concat: WebGPU promises 8 storage buffers to a shader, and its output is one."""


class RowsInParts(Pass):
    """Computes the scores of attention for some queries at a time, where all of them are too large.

    Why: every device binds 128 MiB to a shader, most desktops 2 GiB, many phones no more than must be. Beyond, the run
    throws "exceeding maxStorageBufferBindingSize". The scores of 8 heads over 4,096 positions take 512 MiB, and so does
    everything up to the product with the values.

    How: a query's scores, their scale, mask and Softmax, and the sum over the values ask nothing of another query. The
    left side of the first product is cut along its rows into as few parts as fit, each goes through every node up to
    the products that end the region, and a Concat joins the rows. Exact but for the order in which a product is
    summed. Left alone where a row is read in another way, or where there would be more than 64 parts.
    """

    code = "rows-in-parts"
    after = ("attention-in-parts", "fold-constants", "split-buffers")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Cut the rows of each product that is too large."""
        edits: list[Edit] = []
        for node in nodes_of(model, "MatMul"):
            size = nbytes(node.outputs[0])
            if not is_product(node) or size is None or size <= options.binding:
                continue
            where, rows = f"MatMul '{node.name}'", (dims(node.outputs[0]) or [])[ROWS]
            try:
                region = region_of(node, model.graph, options.binding)
                largest = max(nbytes(each.outputs[0]) or 0 for each in region.nodes)
                held = options.binding * rows // largest
                if held * _MOST < rows:
                    raise LeavesError(f"it would be more than {_MOST} parts")
            except LeavesError as reason:
                edits.append(self.left(where, f"{size >> 20} MiB: {reason}"))
                continue
            parts = -(-rows // held)
            _cut(model.graph, region, rows, -(-rows // parts))
            edits.append(self.done(where, f"{largest >> 20} MiB of scores in {parts} parts of {rows} rows"))
        return edits


def _cut(graph: ir.Graph, region: Region, rows: int, held: int) -> None:
    """Compute the ends of a region for `held` rows at a time."""
    add = Builder(graph, region.before, f"{region.nodes[0].name or 'MatMul'}/rows")
    pieces: dict[ir.Node, list[ir.Value]] = {end: [] for end in region.ends}
    for start in range(0, rows, held):
        end = min(start + held, rows)
        made: dict[ir.Value, ir.Value] = {}
        for node in (*region.nodes, *region.ends):
            made[node.outputs[0]] = _again(add, node, _operands(add, node, made, rows, start, end), end - start)
        for last in region.ends:
            pieces[last].append(made[last.outputs[0]])
    for last, parts in pieces.items():
        replace(last.outputs[0], _joined(add, parts, last.outputs[0]))
    graph.remove([*region.nodes, *region.ends], safe=True)


def _operands(
    add: Builder, node: ir.Node, made: Mapping[ir.Value, ir.Value], rows: int, start: int, end: int
) -> list[ir.Value | None]:
    """Return the inputs of a node for the rows from `start` to `end`."""
    given: list[ir.Value | None] = [value if value is None else made.get(value, value) for value in node.inputs]
    if node.op_type == "Reshape":
        shape = dims(node.outputs[0]) or []
        return [given[0], add.const([*shape[:ROWS], end - start, shape[-1]], np.int64)]
    for place, value in enumerate(node.inputs[:1] if node.op_type == "MatMul" else node.inputs):
        shape = dims(value) or []
        if value is not None and value not in made and len(shape) > 1 and shape[ROWS] == rows:
            given[place] = add.cut(value, len(shape) + ROWS, start, end)
    return given


def _again(add: Builder, node: ir.Node, inputs: Sequence[ir.Value | None], rows: int) -> ir.Value:
    """Add a node once more, for so many rows."""
    result = add.op(node.op_type, *inputs)
    made, shape = result.producer(), dims(node.outputs[0]) or []
    assert made is not None
    made.attributes.update(node.attributes)
    result.type, result.shape = node.outputs[0].type, ir.Shape([*shape[:ROWS], rows, shape[-1]])
    return result


def _joined(add: Builder, parts: Sequence[ir.Value], whole: ir.Value) -> ir.Value:
    """Join rows, a few at a time."""
    shape = dims(whole) or []
    while len(parts) > 1:
        parts = [_concat(add, parts[first : first + _JOINED], shape) for first in range(0, len(parts), _JOINED)]
    return parts[0]


def _concat(add: Builder, parts: Sequence[ir.Value], shape: Sequence[int]) -> ir.Value:
    if len(parts) == 1:
        return parts[0]
    result = add.op("Concat", *parts, axis=len(shape) + ROWS)
    rows = sum((dims(part) or [0, 0])[ROWS] for part in parts)
    result.type, result.shape = parts[0].type, ir.Shape([*shape[:ROWS], rows, shape[-1]])
    return result
