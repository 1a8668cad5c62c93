from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.moved_elements import moved_elements
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int32_lowering import sliced_indices
from webbuild.passes.nms.int32_rows import divmod_int32
from webbuild.passes.rewrite import consumers, find_nodes, is_read, replace_all_uses, replace_output, static_shape

_LARGEST_TABLE = 1 << 18
"""Largest number of scores: the table of their indices takes 1 MiB."""

_FEW = 2
"""Number of nodes after NMS that may as well stay on the CPU."""

_INDEX_OPS = ("Gather", "GatherND")


class SelectionColumns(Pass):
    """Splits the indices that NonMaxSuppression selects into columns on the GPU.

        NonMaxSuppression [n, 3] -> Gather(1) [n] -> Gather(order) -> Cast(float)
            ->  GatherND((0 .. C * N - 1) [1, C, N], NonMaxSuppression) [n] -> Div(N) -> Gather(order) -> Cast(float)
        GatherND(boxes [1, N, 4], Gather(NonMaxSuppression, [0, 2]))
            ->  Gather(boxes [N, 4], number - number / N * N)

    Why: YOLOv7 and detectors of TensorFlow and PaddleDetection compute with the image, class and box columns of the
    selection. It is int64, so these nodes run on the CPU. Values that are sorted by score there are copied from the GPU
    in the middle of a run.

    How: a GatherND with the selection as indices returns the flat index of each selected score in int32. Division
    splits it into class, image and box. `narrow-int64` lets the nodes after it compute in int32.

    Limits: at most 262,144 scores. At least three nodes must move off the CPU; one if the graph has several
    NonMaxSuppression nodes. Exact.
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
    """Return the columns of [n, 3] that each output of a node has, as a row [k] or a scalar []; [] for other nodes."""
    along = {"Gather": node.attributes.get_int("axis", 0), "Split": node.attributes.get_int("axis", 0), "Slice": 1}
    if node.inputs[0] is not selected or along.get(node.op_type) not in (1, -1):
        return []
    # apply the node to two different rows: if it keeps them separate, the output shows the columns
    elements = moved_elements(node, [np.array([[0, 1, 2], [3, 4, 5]])]) or []
    matches = all(each.size and each.shape[0] == 2 and np.array_equal(each[0] + 3, each[1]) for each in elements)
    return [each[0] for each in elements] if matches else []


def _is_inside(node: ir.Node) -> bool:
    return any(map(is_read, node.outputs)) and not any(value.is_graph_output() for value in node.outputs)


def _nodes_after(columns: list[ir.Node]) -> int:
    """Return the number of int64 nodes from the column nodes on; 0 if one needs the number of boxes."""
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
    """Whether a node has a GPU kernel although this input is int64."""
    return node.op_type in _INDEX_OPS and index == 1


def _counts(node: ir.Node) -> bool:
    """Whether a node reads the number of boxes, or slices them, for which there is no int32 kernel."""
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
    """Whether a node gathers rows of data [B, N, ...] by image and box."""
    plain = node.op_type == "GatherND" and not node.attributes.get_int("batch_dims", 0)
    return plain and len(static_shape(node.inputs[0]) or []) >= 2


def _gather_rows(model: ir.Model, add: Builder, gather: ir.Node, row: ir.Value) -> None:
    """GatherND(data [B, N, ...], [n, 2])  ->  Gather(data [B * N, ...], picture * N + box)."""
    sizes = static_shape(gather.inputs[0]) or []
    flat = add.reshape(gather.inputs[0], [sizes[0] * sizes[1], *sizes[2:]])
    replace_output(gather, add.op("Gather", flat, row, axis=0))
    model.graph.remove(gather, safe=True)
