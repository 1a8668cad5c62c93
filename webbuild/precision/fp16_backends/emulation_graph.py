"""Rewrites a float16 graph as a float32 graph with rounding: every float16 value goes through a pair of Casts.

    x -> Op (float16) -> y    becomes    x -> Op (float32) -> [Add error] -> Cast float16 -> Cast float32 -> y

Native ONNX Runtime has no float16 kernel for some operators, and computes others in float32 without rounding between
fused steps; it does not report which. So each operator computes in float32, and its result is rounded to float16.
Inside an operator, float32 sums keep digits that a GPU's float16 registers lose (see `docs/fp16.md`). So errors as
large as a kernel's are added before the rounding (see `kernel_errors`).
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir
from onnx_ir.passes.common import ShapeInferencePass

from webbuild.errors import WebbuildError
from webbuild.passes.dtypes.retype import retype_attributes, retype_value
from webbuild.passes.rewrite import static_shape
from webbuild.precision.fp16_backends.error_draws import ErrorDraws
from webbuild.precision.fp16_backends.graph_builder import GraphBuilder
from webbuild.precision.fp16_backends.kernel_errors import SAME_SIGN_OPS, error_bound

_EXACT_OPS = frozenset({
    "Abs", "Ceil", "Clip", "Compress", "Concat", "Constant", "ConstantOfShape", "DepthToSpace", "Expand", "Flatten",
    "Floor", "Gather", "GatherElements", "GatherND", "GlobalMaxPool", "Identity", "If", "Loop", "Max", "MaxPool",
    "Min", "Neg", "OneHot", "Pad", "ReduceMax", "ReduceMin", "Relu", "Reshape", "ReverseSequence", "Round", "Sign",
    "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "TopK", "Transpose", "Trilu", "Unsqueeze", "Where",
})  # fmt: skip
"""Operators with exact float16 results for float16 inputs: they move or select elements, or change a sign."""


def build_emulation_graph(model: ir.Model, *, kernel_errors: bool) -> ir.Model:
    """Return a graph with float16 only between two Casts of a pair; inputs and outputs are float32.

    With `kernel_errors`, each element gets a random fraction of a kernel's error bound, and the graph an additional
    input, `error_draws.INPUT`.

    Raises:
        WebbuildError: `unknown-dtype` for a value without a known type.
    """
    emulated = _with_known_types(model)
    if kernel_errors and not _has_static_shapes(emulated):
        ShapeInferencePass(check_type=False)(emulated)
    draws = ErrorDraws(emulated.graph) if kernel_errors else None
    for graph in emulated.graphs():
        numbers: dict[float, ir.Value] = {}
        halves = [value for node in graph for value in node.outputs if value.dtype == ir.DataType.FLOAT16]
        for value in (*graph.inputs, *graph.initializers.values()):
            retype_value(value, ir.DataType.FLOAT16, ir.DataType.FLOAT)
        for node in graph:
            retype_attributes(node, ir.DataType.FLOAT16, ir.DataType.FLOAT)
        for value in halves:
            _round(graph, value, draws, numbers)
    if draws is not None:
        draws.finish()
    return emulated


def _with_known_types(model: ir.Model) -> ir.Model:
    """Return a clone with a type for every value."""
    clone = model.clone()
    if any(_untyped_values(clone)):
        ShapeInferencePass(check_type=False)(clone)
    for value in _untyped_values(clone):  # the output of an operator that ONNX does not know
        node = value.producer()
        kinds = [each.dtype for each in (node.inputs if node else ()) if each is not None and each.dtype is not None]
        if not kinds:
            raise WebbuildError(
                "unknown-dtype",
                f"float16: the type of '{value.name}' is unknown",
                "export the model again with the types of its values, or run onnx.shape_inference on it",
            )
        value.type = ir.TensorType(next((kind for kind in kinds if kind.is_floating_point()), kinds[0]))
    return clone


def _untyped_values(model: ir.Model) -> Iterator[ir.Value]:
    for node in model.graph.all_nodes():
        yield from (value for value in node.outputs if value.name and value.dtype is None)


def _has_static_shapes(model: ir.Model) -> bool:
    return all(
        static_shape(value) is not None
        for graph in model.graphs()
        for value in (*graph.inputs, *graph.initializers.values(), *(each for node in graph for each in node.outputs))
        if value.name
    )


def _round(graph: ir.Graph, value: ir.Value, draws: ErrorDraws | None, numbers: dict[float, ir.Value]) -> None:
    """Make a node's output float32, and round it to float16 for its consumers."""
    value.type = ir.TensorType(ir.DataType.FLOAT)
    node = value.producer()
    assert node is not None
    if node.op_type in _EXACT_OPS and node.domain in ("", "ai.onnx") and not _accumulates(node):
        return
    half = ir.node("Cast", [value], attributes={"to": int(ir.DataType.FLOAT16)}, name=f"{value.name}/half")
    wide = ir.node("Cast", half.outputs, attributes={"to": int(ir.DataType.FLOAT)}, name=f"{value.name}/wide")
    (middle,), (result,) = half.outputs, wide.outputs
    middle.name, result.shape, result.type = f"{value.name}/half", value.shape, value.type
    value.replace_all_uses_with(result, replace_graph_outputs=True)
    half.replace_input_with(0, value)
    value.name, result.name = f"{value.name}/exact", value.name
    graph.insert_after(node, [half, wide])
    if draws is not None and value is node.outputs[0]:
        _add_error(graph, node, half, draws, numbers)


def _add_error(
    graph: ir.Graph, node: ir.Node, rounds: ir.Node, draws: ErrorDraws, numbers: dict[float, ir.Value]
) -> None:
    """Add a random fraction of the error bound to a node's output before it is rounded."""
    value = node.outputs[0]
    build = GraphBuilder(graph, node, value.name or "", numbers)
    if (bound := error_bound(node, value, build)) is not None:
        part = draws.draw(value, build, alike=node.op_type in SAME_SIGN_OPS)
        rounds.replace_input_with(0, build.op("Add", value, build.op("Mul", bound, part)))


def _accumulates(node: ir.Node) -> bool:
    """Whether an operator that moves elements also accumulates them."""
    return node.attributes.get_string("reduction", "none") != "none"
