"""Tensors without elements."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, opset_of, replace

_LARGEST = 1 << 22
"""Elements up to which a result that is the same everywhere becomes a constant."""

_NOTHING = {
    **dict.fromkeys(("ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2"), 0.0),
    **dict.fromkeys(("ReduceMax", "ReduceLogSum", "ReduceLogSumExp"), -math.inf),
    "ReduceProd": 1.0,
    "ReduceMin": math.inf,
    "MatMul": 0.0,
}
"""What an operator gives that adds up, multiplies or compares nothing."""


class EmptyTensors(Pass):
    """Writes what is computed into or from tensors of size 0 as what it means.

    Kernels throw on them: a convolution, a pool or a Softmax of nothing, a matrix product over nothing, a maximum of
    nothing. Where the shapes are fixed that can be seen in the graph. A value of size 0 becomes a constant without
    elements, a sum over nothing zeros, a product ones, a maximum negative infinity; a scatter of nothing is its data,
    and padding around nothing is only padding. Outputs of the graph that are empty are left, and so is a graph with an
    empty input, since exporters have written 0 for a size that is free; but for a TopK of no rows, at which the CPU of
    the WASM build divides by zero: it becomes a Slice.
    """

    code = "empty-tensors"
    after = ("fold-constants", "zero-sized")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Replace each value in turn."""
        edits = [self.done(f"TopK '{node.name}'", "it chooses among no rows") for node in _choices_of_nothing(model)]
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
                    _let_read(value, _filled(add, value, 0))
                    edits.append(self.done(where, f"'{value.name}' has no elements"))
            if _is_read(node.outputs[0]) and (result := _meaning(add, node)) is not None:
                replace(node.outputs[0], result)
                edits.append(self.done(where, "it reads a tensor without elements"))
        return edits


def _choices_of_nothing(model: ir.Model) -> Iterator[ir.Node]:
    """Write every TopK of no rows as a Slice, and yield what was rewritten: not even the CPU's kernel takes it."""
    for node in nodes_of(model, "TopK"):
        source, count = node.inputs[0], dims(node.outputs[0])
        axis = node.attributes.get_int("axis", -1)
        if not _is_empty(source) or count is None or opset_of(model) < 10:
            continue
        add = Builder(model.graph, node, f"{node.name or 'TopK'}/empty")
        chosen = add.cut(source, axis, 0, count[axis])
        place = add.op("Cast", chosen, to=ir.DataType.INT64.value)
        for old, new in zip(node.outputs, (chosen, place), strict=True):
            new.shape, new.type = old.shape, old.type
            replace(old, new)
        yield node


def _meaning(add: Builder, node: ir.Node) -> ir.Value | None:
    """Return what a node makes of empty tensors, None if none of its data is empty or it is not known."""
    output, shape = node.outputs[0], dims(node.outputs[0])
    if shape is None or 0 in shape or math.prod(shape) > _LARGEST or output.dtype is None:
        return None
    operands = {"MatMul": 2, "Gemm": 2, "ScatterND": 3, "ScatterElements": 3}.get(node.op_type, 1)
    if not any(_is_empty(value) for value in node.inputs[:operands]):
        return None
    if node.op_type in _NOTHING:
        number = _NOTHING[node.op_type]
        fits = math.isfinite(number) or output.dtype.is_floating_point()
        return _filled(add, output, number) if fits else None
    if node.op_type == "Gemm" and node.attributes.get_float("beta", 1.0) == 1.0:
        addend = node.inputs[2] if len(node.inputs) > 2 else None
        return _filled(add, output, 0) if addend is None else add.op("Expand", addend, add.const(shape, np.int64))
    if node.op_type == "Pad" and node.attributes.get_string("mode", "constant") == "constant":
        given = node.inputs[2] if len(node.inputs) > 2 else None
        filler = np.array(node.attributes.get_float("value", 0.0)) if given is None else constant(given)
        return None if filler is None else _filled(add, output, filler.item())
    return node.inputs[0] if node.op_type.startswith("Scatter") else None


def _filled(add: Builder, value: ir.Value, number: float) -> ir.Value:
    """Add a constant of the shape and type of a value, the same everywhere."""
    assert value.dtype is not None
    return add.const(np.full(dims(value) or [], number), value.dtype.numpy())


def _let_read(value: ir.Value, other: ir.Value) -> None:
    """Let the nodes that read `value` read `other`; an output of the graph stays what it is."""
    for use in list(value.uses()):
        use.node.replace_input_with(use.idx, other)


def _is_empty(value: ir.Value | None) -> bool:
    shape = dims(value)
    return shape is not None and 0 in shape


def _is_read(value: ir.Value) -> bool:
    return bool(value.uses()) or value.is_graph_output()
