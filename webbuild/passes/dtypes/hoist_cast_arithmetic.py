from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.int32_lowering import FLOAT32_EXACT_MAX
from webbuild.passes.dtypes.private_trees import private_trees
from webbuild.passes.rewrite import (
    attribute_values,
    constant,
    consumers,
    find_nodes,
    opset_version,
    redirect_consumers,
    replace_output,
)
from webbuild.targets.schema import find_schema

_MOVING_OPS = {"Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Tile", "Transpose", "Unsqueeze"}
"""Operators that move the elements of their first input."""
_OPERANDS = {"Add": 2, "CumSum": 1, "Mul": 2, "Neg": 1, "Sub": 2, **dict.fromkeys(_MOVING_OPS, 1)}
"""Number of data inputs of an operator."""
_KEEPING_ZERO = {"Mul", "Neg", *_MOVING_OPS}
"""Operators whose float32 result is zero if and only if the int64 result is."""
_INT64, _FLOAT = ir.DataType.INT64, ir.DataType.FLOAT
_KNOWN: dict[int, set[str]] = {
    ir.DataType.FLOAT.value: set(_OPERANDS),
    ir.DataType.FLOAT16.value: set(_OPERANDS),
    ir.DataType.BOOL.value: _KEEPING_ZERO,
}
"""Operators before a Cast that can compute in float32 instead, by the type that the Cast returns."""


class HoistCastArithmetic(Pass):
    """Casts an int64 input before arithmetic, not after it.

        Cast((CumSum(mask) - 1) * mask, float32)  ->  (CumSum(m) - 1) * m,  m = Cast(mask, float32)
        Cast(mask [N, 1] * mask [1, N], bool)     ->  Cast(m * m, bool)

    Why: onnxruntime-web has no int64 kernels on the GPU. A text model computes position ids or attention masks from its
    input mask. Every step is a node on the CPU.

    How: the input is cast once, on the CPU, where it already is.

    - Before a Cast to a float type: CumSum, products, and additions and subtractions of constants, if no other node
      reads them as int64.
    - Before a Cast to bool: only products, as they are zero in float32 if and only if they are in int64.

    Exact for integers up to 16,777,216, accurate to 1e-6 of the largest magnitude beyond.
    """

    code = "hoist-cast-arithmetic"
    after = ("fold-constants", "hoist-cast", "narrow-int64")
    target = "webgpu"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite the Casts of values that are computed from inputs and constants alone."""
        trees = {node: tree for node in find_nodes(model, "Cast") if (tree := _tree(model, node, options))}
        floats: dict[ir.Value, ir.Value] = {}
        rewrites = []
        for cast, tree in private_trees(trees).items():
            add = Builder(model.graph, cast, f"{cast.name or 'Cast'}/float")
            for node in tree:
                if node.outputs[0] not in floats:
                    floats[node.outputs[0]] = _as_float(model.graph, add, node, floats)
            value = floats[tree[-1].outputs[0]]
            to = ir.DataType(cast.attributes.get_int("to", 0))
            replace_output(cast, value if to == _FLOAT else add.cast(value, to))
            kinds = ", ".join(dict.fromkeys(node.op_type for node in tree))
            rewrites.append(self.applied(cast, f"is cast before it is computed with: {kinds} of float32"))
        return rewrites


def _tree(model: ir.Model, cast: ir.Node, options: PassOptions) -> list[ir.Node]:
    """Return the nodes between inputs of the graph and a Cast, in order; none if they cannot compute in float32."""
    known = _KNOWN.get(cast.attributes.get_int("to", 0), set())
    nodes: dict[ir.Node, None] = {}
    waiting = [cast.inputs[0]]
    while waiting:
        value = waiting.pop()
        node = None if value is None else value.producer()
        if value is None or value.dtype != _INT64:
            return []
        if node is None or constant(value) is not None:
            if constant(value) is None and not value.is_graph_input():
                return []
        elif node in nodes:
            continue
        elif node.op_type not in known or _may_cancel(node) or not _moves_to_gpu(model, node, options):
            return []
        else:
            nodes[node] = None
            waiting += node.inputs[: _OPERANDS[node.op_type]]
    return [node for node in model.graph if node in nodes] if nodes else []


def _may_cancel(node: ir.Node) -> bool:
    """Whether an Add or Sub of two large numbers may cancel, such as the difference of two timestamps."""
    stored = [array for value in node.inputs if (array := constant(value)) is not None]
    small = any(np.abs(array).max(initial=0) <= FLOAT32_EXACT_MAX for array in stored)
    return node.op_type in ("Add", "Sub") and not small


def _moves_to_gpu(model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
    schema = find_schema(node.op_type, opset_version(model))
    if options.table is None or schema is None or node.graph is not model.graph or node.domain not in ("", "ai.onnx"):
        return False
    in_float = options.table.placement(node.op_type, schema.since, "float")
    return placement(model, node, options) == "cpu" and in_float == "gpu"


def _as_float(graph: ir.Graph, add: Builder, node: ir.Node, floats: dict[ir.Value, ir.Value]) -> ir.Value:
    """Add the float32 form of an int64 node."""
    inputs = list(node.inputs)
    for index, value in enumerate(inputs[: _OPERANDS[node.op_type]]):
        assert value is not None
        array = constant(value)
        if array is not None:
            inputs[index] = add.const(array.astype(np.float32))
        else:
            if value not in floats:
                floats[value] = _cast_input(graph, value)
            inputs[index] = floats[value]
    result = add.op(node.op_type, *inputs, **attribute_values(node))
    result.shape, result.type = node.outputs[0].shape, ir.TensorType(_FLOAT)
    return result


def _cast_input(graph: ir.Graph, value: ir.Value) -> ir.Value:
    """Cast an input at the start of the graph, and let the readers of its other Casts to float32 read that."""
    cast = Builder(graph, next(iter(graph)), f"{value.name}/cast").cast(value, _FLOAT)
    cast.shape, cast.type = value.shape, ir.TensorType(_FLOAT)
    for node in consumers(value):
        if (
            node is not cast.producer()
            and node.op_type == "Cast"
            and node.graph is graph
            and node.outputs[0].dtype == _FLOAT
        ):
            redirect_consumers(node.outputs[0], cast)
    return cast
