from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import (
    constant,
    constant_number,
    find_nodes,
    input_value,
    is_read,
    opset_version,
    replace_all_uses,
    replace_output,
    static_shape,
)
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names

_MOST = 2048
"""Elements that the engine sorts in one kernel, in workgroup memory."""
_OPSET = 11
"""First opset with GatherElements and with TopK's `largest`."""
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_INDEX_OPS = ("Gather", "GatherElements", "ScatterElements")
_FLOAT, _INT32, _INT64 = ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.INT64


class SplitLongTopK(Pass):
    """`TopK(x [8400], 300)` -> `TopK(TopK(x [5, 1680], 300) [1500], 300)`.

    Why: the engine sorts up to 2,048 elements in one kernel. More take s (s + 1) / 2 + 2 kernels, s = log2(n): 107 for
    8,400 elements, 122 for 24,000. In parts these are 6 and 8.

    How: each part keeps its best K; the best K of these are the best K of the row. This repeats while there are more
    than 2,048. After each sort, a Gather looks up the original indices. The last part may be padded with infinities.

    Limits: one row of a fixed length, sorted output, K smaller than a part. Equal elements stay in order, as in TopK.
    Exact.
    """

    code = "split-long-topk"
    after = (
        *("narrow-int64", "topk-index-arithmetic", "decompose-one-hot", "cpu-fallback", "selection-columns"),
        *("static-first-nms", "append-nms", "append-detr-postprocess", "padded-selection", "dense-boolean-indexing"),
        "guard-topk-padding",
    )
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        if opset_version(model) < _OPSET:
            return []
        rewrites, on_cpu = [], cpu_node_names(model)
        for node in find_nodes(model, "TopK"):
            parts = sorted_parts(node)
            if parts and node.name not in on_cpu and placement(model, node, options) == "gpu":
                _rewrite(model.graph, node, parts)
                rewrites.append(self.applied(node, f"sorts {' and '.join(f'{rows} x {size}' for rows, size in parts)}"))
        return rewrites


def sorted_parts(node: ir.Node) -> list[tuple[int, int]]:
    """Return the number and length of the parts of each sort except the last; empty if the row is not split."""
    shape, chosen = static_shape(node.inputs[0]), constant_number(input_value(node, 1))
    dtype = None if node.inputs[0] is None else node.inputs[0].dtype
    if not shape or chosen is None or dtype not in _FLOATS or node.attributes.get_int("sorted", 1) != 1:
        return []
    length, count = shape[node.attributes.get_int("axis", -1)], int(chosen)
    if math.prod(shape) != length or not 0 < count <= length:
        return []
    parts = []
    while length > _MOST:
        rows = math.ceil(length / _MOST)
        size = math.ceil(length / rows)
        if rows * count >= length or count > size:
            return []
        parts.append((rows, size))
        length = rows * count
    return parts


def _rewrite(graph: ir.Graph, node: ir.Node, parts: list[tuple[int, int]]) -> None:
    add = Builder(graph, node, f"{node.name or 'TopK'}/parts")
    count = int(constant_number(node.inputs[1]) or 0)
    largest = node.attributes.get_int("largest", 1)
    length = math.prod(static_shape(node.inputs[0]) or [])
    wanted = add.const([count], np.int64)
    numbers, places = add.reshape(node.inputs[0], [length]), None
    for rows, size in parts:
        missing = rows * size - length
        if missing:
            fill = add.like(node.inputs[0], [-np.inf if largest else np.inf] * missing)
            numbers = add.op("Concat", numbers, fill, axis=0)
        table = add.reshape(numbers, [rows, size])
        best, index = add.node("TopK", table, wanted, outputs=2, axis=1, largest=largest)
        if places is None:
            # [rows, count]: index within the part plus the start of the part in the row
            within = add.op("Gather", add.const(np.arange(size)), index, axis=0)
            places = add.op("Add", within, add.const(np.arange(rows)[:, None] * size))
        else:
            before = add.op("Concat", places, add.const([0.0] * missing), axis=0) if missing else places
            places = add.op("GatherElements", add.reshape(before, [rows, size]), index, axis=1)
        length = rows * count
        numbers, places = add.reshape(best, [length]), add.reshape(places, [length])
    best, index = add.node("TopK", numbers, wanted, outputs=2, axis=0, largest=largest)
    _replace(add, node, best, add.op("Gather", places, index, axis=0), count)


def _replace(add: Builder, node: ir.Node, best: ir.Value, places: ir.Value, count: int) -> None:
    """Replace TopK's outputs by the best values [count] and their indices, as float32 or int32 for the readers."""
    numbers, indices = node.outputs
    shape = static_shape(node.inputs[0]) or []
    shape[node.attributes.get_int("axis", -1)] = count
    as_float = add.reshape(places, shape)
    whole = add.cast(as_float, _INT32)
    if is_read(numbers):
        replace_output(node, add.reshape(best, shape))
    for use in list(indices.uses()):
        reader = use.node
        if reader.op_type not in _INDEX_OPS or use.idx != 1:
            continue
        known = {_FLOAT: as_float, _INT32: whole}.get(reader.outputs[0].dtype or _INT64)
        if known is not None and _is_counting(reader):
            replace_output(reader, known)
        else:
            reader.replace_input_with(1, whole)
    if is_read(indices):
        wide = add.cast(whole, _INT64)
        wide.type, wide.shape = indices.type, indices.shape
        replace_all_uses(indices, wide)


def _is_counting(reader: ir.Node) -> bool:
    """Whether a Gather reads the table 0, 1, 2 .., so that it returns its indices."""
    table = constant(reader.inputs[0]) if reader.op_type == "Gather" else None
    return table is not None and table.ndim == 1 and bool((table == np.arange(len(table))).all())
