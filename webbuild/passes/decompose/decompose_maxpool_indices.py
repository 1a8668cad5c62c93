from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import PassOptions
from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.dtypes.int32_lowering import attribute_values
from webbuild.passes.rewrite import is_read, static_shape
from webbuild.passes.workaround import DefectContext, DefectDecomposition, PassContext, Symptom

_MAX_ELEMENTS = 1 << 25
"""Numbers of all windows together, four bytes each: what every device binds."""

_MAX_TABLE = 1 << 16
"""Numbers of a table that is stored to make int32 of int64."""


class DecomposeMaxPoolIndices(DefectDecomposition):
    """MaxPool(x [N, C, H, W]) with indices -> MaxPool(x), Gather(cells, ArgMax(windows of x [N, C, H'*W', h*w])).

    Defect: the run throws: `The Indices output is not supported yet`, `Using column major storage_order is not
    supported yet`.

    Why: SegNet and its kin go down with indices and up with MaxUnpool, which has no kernel: it becomes
    ScatterElements(zeros, indices, x). From opset 22 on the CPU has the MaxPool. Every window is laid out by Gathers
    with constant places; where it reaches into the padding, the cell next to it stands there once more. The place of
    the largest in its window is looked up in a table of cells, row by row or column by column. Where nothing reads the
    indices, the order in which they count is left out.
    Limits: float32, fixed shapes; the windows of one node may hold 33,554,432 numbers.
    Exact: the same elements.
    Source: measured on 1.30.0.
    """

    code = "decompose-maxpool-indices"
    finding = "maxpool-indices"
    other_findings = ("maxpool-storage-order",)
    operators = ("MaxPool",)
    fix = "replace the unpooling that needs them"
    probe = "pool/MaxPool Indices"
    outputs = 2
    also_rewrites = "MaxUnpool, and a MaxPool of an opset for which only the CPU has a kernel"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if _gives_indices(node):
            return Symptom("the GPU kernel of MaxPool gives no indices")
        if node.attributes.get_int("storage_order", 0) == 0:
            return None
        return Symptom("storage_order is 1", fix="leave storage_order out", finding="maxpool-storage-order")

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"MaxPool": _pool, "MaxUnpool": _unpool}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether its indices are read, or it has no kernel at all."""
        if options.table is None or node.op_type != "MaxPool":
            return Decomposition.matches(self, model, node, options)
        affected = self.affects(node, PassContext(model, options)) is not None
        return affected and placement(model, node, options) in ("gpu", "cpu")


def _gives_indices(node: ir.Node) -> bool:
    return any(map(is_read, node.outputs[1:]))


def _pool(add: RewriteContext, node: ir.Node) -> list[ir.Value]:
    attributes = {name: value for name, value in attribute_values(node).items() if name != "storage_order"}
    if not _gives_indices(node):
        return [add.op("MaxPool", node.inputs[0], **attributes)]
    x, source, target = node.inputs[0], static_shape(node.inputs[0]), static_shape(node.outputs[0])
    kernel = node.attributes.get_ints("kernel_shape", [])
    if x is None or x.dtype != ir.DataType.FLOAT or source is None or target is None:
        raise NotApplicableError("its shape is not fixed, or it is not float32")
    if prod(target) * prod(kernel) > _MAX_ELEMENTS or not prod(target):
        raise NotApplicableError("its windows hold too many numbers, or none")
    rank, windows = len(kernel), _windows(node, source, target)
    # [N, C, H, W] -> [N, C, H, w, kw] -> [N, C, h, kh, w, kw]
    laid: ir.Value = x
    for axis in reversed(range(rank)):
        laid = add.op("Gather", laid, add.const(windows[axis], np.int64), axis=axis + 2)
    order = [0, 1, *(2 + 2 * axis for axis in range(rank)), *(3 + 2 * axis for axis in range(rank))]
    # -> [N, C, h, w, kh, kw] -> [N, C, h w, kh kw]
    together = add.op("Transpose", laid, perm=order)
    rows = add.op("Reshape", together, add.const([*target[:2], prod(target[2:]), prod(kernel)], np.int64))
    best = add.op("ArgMax", rows, axis=3, keepdims=0)
    cells = _cells(windows, source[2:], by_columns=bool(node.attributes.get_int("storage_order", 0)))
    starts = np.arange(prod(target[2:])) * prod(kernel)
    # ArgMax gives int64, which no Cast takes on the GPU: looked up in a table of int32
    place = add.op("Gather", add.const(np.arange(prod(kernel)), np.int32), best, axis=0)
    cell = add.op("Gather", add.const(cells, np.int32), add.op("Add", place, add.const(starts, np.int32)), axis=0)
    planes = np.arange(prod(target[:2])).reshape(*target[:2], 1) * prod(source[2:])
    flat = add.op("Reshape", add.op("Add", cell, add.const(planes, np.int32)), add.const(target, np.int64))
    return [add.op("MaxPool", x, **attributes), add.op("Cast", flat, to=ir.DataType.INT64.value)]


def _windows(node: ir.Node, source: list[int], target: list[int]) -> list[NDArray[np.int64]]:
    """Return for each axis which cells each window reads, [windows, kernel]; the nearest that there is for padding."""
    kernel = node.attributes.get_ints("kernel_shape", [])
    rank = len(kernel)
    strides, dilations = (node.attributes.get_ints(name, [1] * rank) for name in ("strides", "dilations"))
    begin = _begin(node, source, target)
    found = []
    for axis in range(rank):
        first = np.arange(target[axis + 2]) * strides[axis] - begin[axis]
        cells = first[:, None] + np.arange(kernel[axis]) * dilations[axis]
        inside = (cells >= 0) & (cells < source[axis + 2])
        if not inside.any(1).all():
            raise NotApplicableError("a window lies in the padding altogether")
        least = np.where(inside, cells, np.iinfo(np.int64).max).min(1, keepdims=True)
        most = np.where(inside, cells, -1).max(1, keepdims=True)
        found.append(np.where(inside, cells, np.where(cells < 0, least, most)))
    return found


def _begin(node: ir.Node, source: list[int], target: list[int]) -> list[int]:
    """Return how many cells of padding lie before each axis."""
    kernel = node.attributes.get_ints("kernel_shape", [])
    rank, automatic = len(kernel), node.attributes.get_string("auto_pad", "NOTSET")
    if automatic in ("NOTSET", "VALID"):
        return list(node.attributes.get_ints("pads", [0] * 2 * rank))[:rank]
    strides, dilations = (node.attributes.get_ints(name, [1] * rank) for name in ("strides", "dilations"))
    begin = []
    for axis in range(rank):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        total = max(0, (target[axis + 2] - 1) * strides[axis] + reach - source[axis + 2])
        begin.append(total // 2 if automatic == "SAME_UPPER" else total - total // 2)
    return begin


def _cells(windows: list[NDArray[np.int64]], sizes: list[int], *, by_columns: bool) -> NDArray[np.int64]:
    """Return the number of the cell at each place of each window, all windows one after the other."""
    rank = len(windows)
    total = np.zeros((1,) * 2 * rank, np.int64)
    for axis, cells in enumerate(windows):
        shape = [1] * 2 * rank
        shape[axis], shape[rank + axis] = cells.shape
        total = total + cells.reshape(shape) * prod(sizes[:axis] if by_columns else sizes[axis + 1 :])
    return total.ravel()


def _unpool(add: RewriteContext, node: ir.Node) -> ir.Value:
    target = static_shape(node.outputs[0])
    if (
        target is None
        or static_shape(node.inputs[0]) is None
        or len([each for each in node.inputs if each is not None]) > 2
    ):
        raise NotApplicableError("its shape is not fixed, or it is given as an input")
    flat = add.const([-1], np.int64)
    zeros = add.op("Expand", add.like(node.inputs[0], [0]), add.const([prod(target)], np.int64))
    places = add.op("Reshape", _as_int32(add, node.inputs[1], prod(target)), flat)
    scattered = add.op("ScatterElements", zeros, places, add.op("Reshape", node.inputs[0], flat), axis=0)
    return add.op("Reshape", scattered, add.const(target, np.int64))


def _as_int32(add: RewriteContext, indices: ir.Value | None, size: int) -> ir.Value:
    """Return indices as int32: as they were before they became int64, or looked up, since no Cast is on the GPU."""
    producer = None if indices is None else indices.producer()
    if producer is not None and producer.op_type == "Cast":
        source = producer.inputs[0]
        if source is not None and source.dtype == ir.DataType.INT32:
            return source
    if size > _MAX_TABLE:
        raise NotApplicableError("its indices are int64, and too many for a table")
    return add.op("Gather", add.const(np.arange(size), np.int32), indices, axis=0)
