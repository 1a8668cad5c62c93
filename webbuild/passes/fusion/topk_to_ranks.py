from __future__ import annotations

import itertools
import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.analysis.rank_levels import rank_levels
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import (
    Builder,
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

_FEWEST = 8
"""Kernels that it has to save."""
_OPSET = 11
"""The opset that brought Equal of floats."""
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_INDEX_OPS = ("Gather", "GatherElements", "ScatterElements")
_FLOAT, _INT32, _INT64 = ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.INT64


class TopKToRanks(Pass):
    """Finds the best K numbers of a row by counting how many are better than each, instead of sorting the row.

        TopK(x [8400], 300)
            ->  groups [1680, 5]: the 300 whose best is best  ->  their numbers [1500]: the best 300

    Why: the engine sorts n numbers in s (s + 1) / 2 steps with s = log2(n), each of them a kernel: 105 for 8,400.
    Counting takes 12, and 15 more for each level of groups.

    How: the rank of a number is how many are greater, or equal and before it. Where a row is too long for each to be
    compared with each, neighbours are a group. A group that holds one of the best K numbers is one of the best K
    groups, so that only the numbers of those are compared, again in groups or alone.

    Limits: one row of a fixed length, sorted; a K and groups so that at most 2,048 are compared with each other; 8
    kernels fewer at least. Equal numbers stay in their order, as TopK has them. Exact, unless a number is NaN.
    """

    code = "topk-to-ranks"
    after = (
        *("narrow-int64", "topk-index-arithmetic", "decompose-one-hot", "cpu-fallback", "selection-columns"),
        *("static-first-nms", "append-nms", "append-detr-postprocess", "padded-selection", "dense-boolean-indexing"),
    )
    target = "webgpu"
    scope = "main graph"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        if opset_version(model) < _OPSET:
            return []
        rewrites, on_cpu = [], cpu_node_names(model)
        for node in find_nodes(model, "TopK"):
            levels = levels_instead_of_sort(node)
            if levels and node.name not in on_cpu and placement(model, node, options) == "gpu":
                _rewrite(model.graph, node, levels)
                sizes = ", ".join(map(str, levels))
                rewrites.append(self.applied(node, f"is found by comparing each with each, in groups of {sizes}"))
        return rewrites


def levels_instead_of_sort(node: ir.Node) -> tuple[int, ...]:
    """Return the sizes of the groups, the last one 1; none where the sort stays."""
    shape, chosen = static_shape(node.inputs[0]), constant_number(input_value(node, 1))
    dtype = None if node.inputs[0] is None else node.inputs[0].dtype
    if not shape or chosen is None or dtype not in _FLOATS or node.attributes.get_int("sorted", 1) != 1:
        return ()
    length = shape[node.attributes.get_int("axis", -1)]
    if math.prod(shape) != length or not 0 < chosen <= length:
        return ()
    levels, stages = rank_levels(length, int(chosen)), math.ceil(math.log2(length))
    return levels if stages * (stages + 1) // 2 - (15 * len(levels) - 3) >= _FEWEST else ()


def _rewrite(graph: ir.Graph, node: ir.Node, levels: tuple[int, ...]) -> None:
    add = Builder(graph, node, f"{node.name or 'TopK'}/ranks")
    count = int(constant_number(node.inputs[1]) or 0)
    largest = node.attributes.get_int("largest", 1) == 1
    row, length = _whole_groups(add, node.inputs[0], levels[0], largest=largest)
    groups = length // levels[0]
    # `places` [groups] says which group of the row each is; the best of a group decides its rank
    places, table = add.const(np.arange(groups)), add.reshape(row, [groups, levels[0]])
    for size, part in itertools.pairwise(levels):
        best = add.reduce("ReduceMax" if largest else "ReduceMin", table, 1)
        places = _best_places(add, best, places, groups, count, largest=largest)
        ratio = size // part
        groups = count * ratio
        # [count, 1] -> the parts of each [count, ratio] -> [groups]
        first_parts = add.op("Mul", places, add.const(ratio))
        places = add.reshape(add.op("Add", first_parts, add.const(np.arange(ratio)[None])), [groups])
        table = add.op("Gather", add.reshape(row, [length // part, part]), add.cast(places, _INT32), axis=0)
    places = _best_places(add, table, places, groups, count, largest=largest)
    whole = add.cast(places, _INT32)
    best = add.op("Gather", row, add.reshape(whole, [count]), axis=0)
    best.shape = ir.Shape([count])
    _replace(add, node, best, places, whole)


def _whole_groups(add: Builder, data: ir.Value | None, size: int, *, largest: bool) -> tuple[ir.Value, int]:
    """Return the row [length] and its length, filled up to whole groups with what is never chosen."""
    length = math.prod(static_shape(data) or [])
    missing = -length % size
    row = add.reshape(data, [length])
    if not missing:
        return row, length
    fill = add.like(data, [-np.inf if largest else np.inf] * missing)
    return add.op("Concat", row, fill, axis=0), length + missing


def _best_places(add: Builder, best: ir.Value, places: ir.Value, groups: int, count: int, *, largest: bool) -> ir.Value:
    """Return the places [count, 1] of the best of [groups], best first, and of equal ones the first."""
    others, own = add.reshape(best, [1, groups]), add.reshape(best, [groups, 1])
    earlier = add.op("Less", add.reshape(places, [1, groups]), add.reshape(places, [groups, 1]))
    first_of_equal = add.cast(add.op("And", earlier, add.op("Equal", others, own)), _FLOAT)
    # [groups, groups]: 1 where the other comes first
    better = add.op("Where", add.op("Greater" if largest else "Less", others, own), add.const(1.0), first_of_equal)
    rank = add.reduce("ReduceSum", better, 1)
    wanted = add.const(np.arange(count).reshape(count, 1))
    # [count, groups] x [groups, 1]: one place of each row is 1
    chosen = add.cast(add.op("Equal", add.reshape(rank, [1, groups]), wanted), _FLOAT)
    return add.op("MatMul", chosen, add.reshape(places, [groups, 1]))


def _replace(add: Builder, node: ir.Node, best: ir.Value, places: ir.Value, whole: ir.Value) -> None:
    """Let what reads the outputs of TopK read the best [count] and their places, of float32 and int32."""
    numbers, indices = node.outputs
    shape = static_shape(node.inputs[0]) or []
    shape[node.attributes.get_int("axis", -1)] = math.prod(static_shape(best) or [0])
    shaped, as_float = add.reshape(whole, shape), add.reshape(places, shape)
    if is_read(numbers):
        replace_output(node, add.reshape(best, shape))
    for use in list(indices.uses()):
        reader = use.node
        if reader.op_type not in _INDEX_OPS or use.idx != 1:
            continue
        known = {_FLOAT: as_float, _INT32: shaped}.get(reader.outputs[0].dtype or _INT64)
        if known is not None and _is_counting(reader):
            replace_output(reader, known)
        else:
            reader.replace_input_with(1, shaped)
    if is_read(indices):
        wide = add.cast(shaped, _INT64)
        wide.type, wide.shape = indices.type, indices.shape
        replace_all_uses(indices, wide)


def _is_counting(reader: ir.Node) -> bool:
    """Whether a Gather looks a place up in 0, 1, 2 and so on, so that it gives the place."""
    table = constant(reader.inputs[0]) if reader.op_type == "Gather" else None
    return table is not None and table.ndim == 1 and bool((table == np.arange(len(table))).all())
