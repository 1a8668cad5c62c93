"""Tensors without elements."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import Builder, constant, find_nodes, opset_version, replace_all_uses, static_shape

_LARGEST = 1 << 22
"""Elements up to which a result that is the same everywhere becomes a constant."""

_EMPTY_RESULT = {
    **dict.fromkeys(("ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2"), 0.0),
    **dict.fromkeys(("ReduceMax", "ReduceLogSum", "ReduceLogSumExp"), -math.inf),
    "ReduceProd": 1.0,
    "ReduceMin": math.inf,
    "MatMul": 0.0,
}
"""What an operator gives that adds up, multiplies or compares nothing."""


class FoldEmptyTensors(Pass):
    """Writes what is computed into or from tensors of size 0 as what it means.

        Conv(x [0, C, H, W]) [0, M, H, W]     ->  constant [0, M, H, W]
        MatMul(a [M, 0], b [0, N]) [M, N]     ->  zeros [M, N]
        ReduceMax(x [N, 0], axis=1) [N]       ->  -inf [N]
        ScatterND(data, i [0, k], u [0])      ->  data
        TopK(x [0, C], k)                     ->  Slice(x, :k), Cast(Slice(x, :k))

    Kernels throw on them: a convolution, a pool or a Softmax of nothing, a matrix product over nothing, a maximum of
    nothing. Where the shapes are fixed that can be seen in the graph. A value of size 0 becomes a constant without
    elements, a sum over nothing zeros, a product ones, a maximum negative infinity; a scatter of nothing is its data,
    and padding around nothing is only padding. Outputs of the graph that are empty are left, and so is a graph with an
    empty input, since exporters have written 0 for a size that is free; but for a TopK of no rows, at which the CPU of
    the WASM build divides by zero: it becomes a Slice.

    Exact: ONNX's operator text of the reductions gives the value over nothing (0, 1, -inf, inf).
    """

    code = "fold-empty-tensors"
    after = ("fold-constants", "eliminate-no-ops")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Replace each value in turn."""
        edits = [self.applied(f"TopK '{node.name}'", "it chooses among no rows") for node in _rewrite_empty_topk(model)]
        if any(_is_empty(value) for value in model.graph.inputs):
            return edits
        for node in list(model.graph):
            if node.op_type == "Constant" or node.domain not in ("", "ai.onnx"):
                continue
            if not any(_is_empty(value) for value in (*node.inputs, *node.outputs)):
                continue  # a builder reads the whole graph, so none is made for nothing
            where = f"{node.op_type} '{node.name}'"
            add = Builder(model.graph, node, f"{node.name or node.op_type}/empty")
            for value in node.outputs:
                if value.uses() and _is_empty(value) and value.dtype is not None:
                    _redirect_consumers(value, _filled(add, value, 0))
                    edits.append(self.applied(where, f"'{value.name}' has no elements"))
            if _is_read(node.outputs[0]) and (result := _constant_result(add, node)) is not None:
                replace_all_uses(node.outputs[0], result)
                edits.append(self.applied(where, "it reads a tensor without elements"))
        return edits


def _rewrite_empty_topk(model: ir.Model) -> Iterator[ir.Node]:
    """Write every TopK of no rows as a Slice, and yield what was rewritten: not even the CPU's kernel takes it."""
    for node in find_nodes(model, "TopK"):
        source, count = node.inputs[0], static_shape(node.outputs[0])
        axis = node.attributes.get_int("axis", -1)
        if not _is_empty(source) or count is None or opset_version(model) < 10:
            continue
        add = Builder(model.graph, node, f"{node.name or 'TopK'}/empty")
        chosen = add.slice(source, axis, 0, count[axis])
        place = add.op("Cast", chosen, to=ir.DataType.INT64.value)
        for old, new in zip(node.outputs, (chosen, place), strict=True):
            new.shape, new.type = old.shape, old.type
            replace_all_uses(old, new)
        yield node


def _constant_result(add: Builder, node: ir.Node) -> ir.Value | None:
    """Return what a node makes of empty tensors, None if none of its data is empty or it is not known."""
    output, shape = node.outputs[0], static_shape(node.outputs[0])
    if shape is None or 0 in shape or math.prod(shape) > _LARGEST or output.dtype is None:
        return None
    operands = {"MatMul": 2, "Gemm": 2, "ScatterND": 3, "ScatterElements": 3}.get(node.op_type, 1)
    if not any(_is_empty(value) for value in node.inputs[:operands]):
        return None
    if node.op_type in _EMPTY_RESULT:
        number = _EMPTY_RESULT[node.op_type]
        fits = math.isfinite(number) or output.dtype.is_floating_point()
        return _filled(add, output, number) if fits else None
    if node.op_type == "Gemm" and node.attributes.get_float("beta", 1.0) == 1.0:
        addend = node.inputs[2] if len(node.inputs) > 2 else None
        return _filled(add, output, 0) if addend is None else add.op("Expand", addend, add.const(shape, np.int64))
    if node.op_type == "Pad" and node.attributes.get_string("mode", "constant") == "constant":
        fill_value = node.inputs[2] if len(node.inputs) > 2 else None
        filler = np.array(node.attributes.get_float("value", 0.0)) if fill_value is None else constant(fill_value)
        return None if filler is None else _filled(add, output, filler.item())
    return node.inputs[0] if node.op_type.startswith("Scatter") else None


def _filled(add: Builder, value: ir.Value, number: float) -> ir.Value:
    """Add a constant of the shape and type of a value, the same everywhere."""
    assert value.dtype is not None
    return add.const(np.full(static_shape(value) or [], number), value.dtype.numpy())


def _redirect_consumers(value: ir.Value, other: ir.Value) -> None:
    """Let the nodes that read `value` read `other`; an output of the graph stays what it is."""
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, other)


def _is_empty(value: ir.Value | None) -> bool:
    shape = static_shape(value)
    return shape is not None and 0 in shape


def _is_read(value: ir.Value) -> bool:
    return bool(value.uses()) or value.is_graph_output()
