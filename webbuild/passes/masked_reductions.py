"""Reductions of what a mask selects."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, replace, users
from webbuild.passes._int32_forms import plain

_EACH = {
    *("Add", "Sub", "Mul", "Div", "Pow", "Abs", "Neg", "Sqrt", "Exp", "Log", "Relu", "Sigmoid", "Tanh", "Reciprocal"),
}
"""Operators that compute with each element alone, and at most with one constant number beside it."""

_NEUTRAL = {"ReduceSum": 0.0, "ReduceMean": 0.0, "ReduceProd": 1.0, "ReduceMax": -math.inf, "ReduceMin": math.inf}
"""What an element counts for that is not selected."""


class UnknownSelectionError(Exception):
    """Why what is selected has to be gathered."""


class MaskedReductions(Pass):
    """Reduces all elements, those that a mask leaves out as zero, instead of gathering the others first.

    `x[mask].sum()` is exported as NonZero and GatherND. The data decide how many elements are gathered, so neither has
    a fixed shape, NonZero runs on the CPU, and everything behind it is compiled anew for every length. Where only
    sums, means, products, maxima or minima are read, of the elements or of what is computed from each alone, the
    others can stay in their places. A sum may round differently, by 1e-6 of the result.
    """

    code = "masked-reductions"
    after = ("fold-constants", "clean-up")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite behind each GatherND of all that a mask selects."""
        edits: list[Edit] = []
        for node in nodes_of(model, "GatherND") if options.table is not None else ():
            mask = _mask(node)
            if mask is None:
                continue
            where = f"GatherND '{node.name}'"
            try:
                edits.append(self.done(where, f"{_rewrite(model, node, mask)} reductions of all elements, masked"))
            except UnknownSelectionError as reason:
                edits.append(self.left(where, str(reason)))
        return edits


def _mask(node: ir.Node) -> ir.Value | None:
    """Return the mask of which a GatherND gathers what is true, None if it gathers by anything else."""
    turn = None if node.inputs[1] is None else node.inputs[1].producer()
    if turn is None or turn.op_type != "Transpose" or turn.inputs[0] is None:
        return None
    found = turn.inputs[0].producer()
    return found.inputs[0] if found is not None and found.op_type == "NonZero" else None


def _rewrite(model: ir.Model, node: ir.Node, mask: ir.Value) -> int:
    data = node.inputs[0]
    if data is None or data.dtype != ir.DataType.FLOAT or dims(data) is None or dims(data) != dims(mask):
        raise UnknownSelectionError("the mask selects rows, or shapes are not known: what it selects has a free length")
    chain, ends = _followed(node)
    made: dict[ir.Value, ir.Value | None] = {node.outputs[0]: data}
    order = {each: index for index, each in enumerate(model.graph)}
    region = sorted([*chain, *ends], key=order.__getitem__)
    for each in region:
        add = Builder(model.graph, each, f"{each.name or each.op_type}/masked")
        if each in chain:
            inputs = [made.get(value, value) if value is not None else None for value in each.inputs]
            made[each.outputs[0]] = add.op(each.op_type, *inputs, **plain(each))
        elif each.inputs[0] is not None:
            replace(each.outputs[0], _reduced(add, each, mask, made[each.inputs[0]]))
    for each in (*reversed(region), node):
        model.graph.remove(each, safe=True)
    return len(ends)


def _followed(node: ir.Node) -> tuple[list[ir.Node], list[ir.Node]]:
    """Return what computes with each selected element, and what reduces them. Raises where anything else does."""
    chain, ends, waiting = list[ir.Node](), list[ir.Node](), [node.outputs[0]]
    while waiting:
        value = waiting.pop()
        if value.is_graph_output():
            raise UnknownSelectionError("what the mask selects is an output, and the data decide its length")
        for reader in users(value):
            others = [constant(other) for other in reader.inputs if other is not value and other is not None]
            numbers = all(array is not None and array.size == 1 and array.ndim < 2 for array in others)
            if reader.op_type in _NEUTRAL and reader.inputs[0] is value and numbers:
                ends.append(reader)
            elif reader.op_type in _EACH and numbers:
                chain.append(reader)
                waiting.append(reader.outputs[0])
            else:
                raise UnknownSelectionError(f"{reader.op_type} '{reader.name}' reads how many the mask selects")
    return chain, ends


def _reduced(add: Builder, node: ir.Node, mask: ir.Value, data: ir.Value | None) -> ir.Value:
    """Add the reduction of the elements where the mask is true; of none, a mean is 0 as on the CPU."""
    true = mask if mask.dtype == ir.DataType.BOOL else add.op("Cast", mask, to=ir.DataType.BOOL.value)
    flat, keep = add.const([-1], np.int64), node.attributes.get_int("keepdims", 1)
    kept = add.op("Reshape", add.op("Where", true, data, add.const(_NEUTRAL[node.op_type])), flat)
    if node.op_type != "ReduceMean":
        return add.reduce(node.op_type, kept, 0, keep)
    ones = add.op("Reshape", add.op("Cast", true, to=ir.DataType.FLOAT.value), flat)
    count = add.reduce("ReduceSum", ones, 0, keep)
    least = add.op("Max", count, add.const(1.0))
    return add.op("Div", add.reduce("ReduceSum", kept, 0, keep), least)
