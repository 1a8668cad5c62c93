from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.dtypes.int32_lowering import sliced_indices
from webbuild.passes.nms.int32_rows import divmod_int32
from webbuild.passes.rewrite import (
    Builder,
    consumers,
    find_nodes,
    is_read,
    replace_all_uses,
    replace_output,
    static_shape,
)

_LARGEST_TABLE = 1 << 18
"""Scores that are numbered at most: the table of their numbers is 1 MiB then."""

_FEW = 2
"""Nodes after a suppression that may as well stay on the CPU."""

_INDEX_OPS = ("Gather", "GatherND")


class SelectionColumns(Pass):
    """Splits the selected indices of NonMaxSuppression into columns on the GPU.

        NonMaxSuppression [n, 3] -> Gather(1) [n] -> Gather(order) -> Cast(float)
            ->  GatherND((0 .. C * N - 1) [1, C, N], NonMaxSuppression) [n] -> Div(N) -> Gather(order) -> Cast(float)
        GatherND(boxes [1, N, 4], Gather(NonMaxSuppression, [0, 2]))
            ->  Gather(boxes [N, 4], number - number / N * N)

    Why: detectors of TensorFlow and PaddleDetection and YOLOv7 compute with the picture, class and box columns of the
    selection. The selection is int64, so all of that stays on the CPU. Values that are sorted by score there are copied
    from the GPU in the middle of a run.

    How: GatherND takes the selection as it is and gives the number of each selected score in int32. Division splits the
    number into class, picture and box. `narrow-int64` lets the nodes after it compute with them.

    Limits: 262,144 scores at most, and more than two nodes to move off the CPU, or one in a graph of two suppressions.
    Exact.
    """

    code = "selection-columns"
    after = ("limit-suppression", "fixed-rows", "static-generic-nms", "pad-generic-nms-output")
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        suppressions = list(find_nodes(model, "NonMaxSuppression"))
        few = _FEW if len(suppressions) == 1 else 0
        for nms in suppressions:
            sizes = static_shape(nms.inputs[1]) if len(nms.inputs) > 1 else None
            if sizes is None or len(sizes) != 3 or not 0 < math.prod(sizes) <= _LARGEST_TABLE:
                continue
            columns = [node for node in consumers(nms.outputs[0]) if _columns(node, nms.outputs[0])]
            columns = [node for node in columns if node.graph is nms.graph and _is_inside(node)]
            if (count := _nodes_after(columns)) > few:
                _rewrite(model, nms, columns, sizes)
                rewrites.append(self.applied(nms, f"{count} nodes compute with its selection on the GPU"))
        return rewrites


def _columns(node: ir.Node, selected: ir.Value) -> list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    """Return which columns of [n, 3] each output of a node has, as a row [k] or a number []; nothing for others."""
    along = {"Gather": node.attributes.get_int("axis", 0), "Split": node.attributes.get_int("axis", 0), "Slice": 1}
    if node.inputs[0] is not selected or along.get(node.op_type) not in (1, -1):
        return []
    # of two rows that differ, those nodes that keep rows apart give what tells the columns
    elements = moved_elements(node, [np.array([[0, 1, 2], [3, 4, 5]])]) or []
    matches = all(each.size and each.shape[0] == 2 and np.array_equal(each[0] + 3, each[1]) for each in elements)
    return [each[0] for each in elements] if matches else []


def _is_inside(node: ir.Node) -> bool:
    return any(map(is_read, node.outputs)) and not any(value.is_graph_output() for value in node.outputs)


def _nodes_after(columns: list[ir.Node]) -> int:
    """Return how many nodes compute with int64, from those that take columns on; 0 if one needs the number of boxes."""
    values = dict.fromkeys(columns)
    waiting = list(columns)
    while waiting:
        for value in waiting.pop().outputs:
            if value.dtype == ir.DataType.INT64:
                if any(_counts(reader) for reader in consumers(value)):
                    return 0
                new = [use.node for use in value.uses() if not _is_index(use.node, use.idx) and use.node not in values]
                values.update(dict.fromkeys(new))
                waiting += new
    return len(values)


def _is_index(node: ir.Node, index: int) -> bool:
    """Whether a node has a GPU kernel though it reads int64 there."""
    return node.op_type in _INDEX_OPS and index == 1


def _counts(node: ir.Node) -> bool:
    """Whether a node reads the number of boxes, or takes the first: that has no int32 kernel."""
    return node.op_type == "Shape" or (node.op_type == "Slice" and sliced_indices(node) is None)


def _rewrite(model: ir.Model, nms: ir.Node, columns: list[ir.Node], sizes: list[int]) -> None:
    selected, (pictures, classes, boxes) = nms.outputs[0], sizes
    add = Builder(model.graph, None, f"{nms.name or 'NonMaxSuppression'}/columns")
    # number = (picture * C + label) * N + box: int32 [n]
    number = add.op("GatherND", add.const(np.arange(math.prod(sizes)).reshape(sizes), np.int32), selected)
    row, box = divmod_int32(add, number, boxes)
    picture, label = divmod_int32(add, row, classes)
    row_index = box if pictures == 1 else add.op("Add", add.op("Mul", picture, add.const(boxes, np.int32)), box)
    for node in columns:
        for value, taken in zip(node.outputs, _columns(node, selected), strict=True):
            if taken.tolist() == [0, 2]:
                for gather in [use.node for use in value.uses() if use.idx == 1 and _gathers_rows(use.node)]:
                    _gather_rows(model, add, gather, row_index)
            if taken.ndim == 0:
                column = (picture, label, box)[int(taken)]
            else:
                parts = [add.reshape((picture, label, box)[each], [-1, 1]) for each in taken.tolist()]
                column = parts[0] if len(parts) == 1 else add.op("Concat", *parts, axis=1)
            wide = add.cast(column, ir.DataType.INT64)
            wide.type, wide.shape = value.type, value.shape
            replace_all_uses(value, wide)
    model.graph.sort()


def _gathers_rows(node: ir.Node) -> bool:
    """Whether a node gathers rows of data [B, N, ...] by picture and box."""
    plain = node.op_type == "GatherND" and not node.attributes.get_int("batch_dims", 0)
    return plain and len(static_shape(node.inputs[0]) or []) >= 2


def _gather_rows(model: ir.Model, add: Builder, gather: ir.Node, row: ir.Value) -> None:
    """GatherND(data [B, N, ...], [n, 2])  ->  Gather(data [B * N, ...], picture * N + box)."""
    sizes = static_shape(gather.inputs[0]) or []
    flat = add.reshape(gather.inputs[0], [sizes[0] * sizes[1], *sizes[2:]])
    replace_output(gather, add.op("Gather", flat, row, axis=0))
    model.graph.remove(gather, safe=True)
