from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.graphs import all_graphs
from webbuild.passes.rewrite import (
    constant,
    find_nodes,
    input_value,
    is_empty,
    is_read,
    opset_version,
    redirect_consumers,
    replace_all_uses,
    static_shape,
)
from webbuild.passes.workarounds.base import Defect, DefectContext, Symptom

_SLICE_BY_INPUTS = 10
"""The opset from which on a Slice takes its bounds as inputs."""

_LARGEST = 1 << 22
"""Largest number of elements of a result that becomes a constant."""

_EMPTY_RESULT = {
    **dict.fromkeys(("ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2"), 0.0),
    **dict.fromkeys(("ReduceMax", "ReduceLogSum", "ReduceLogSumExp"), -math.inf),
    "ReduceProd": 1.0,
    "ReduceMin": math.inf,
    "MatMul": 0.0,
    "Einsum": 0.0,
}
"""Result of a reduction over zero elements."""

THROWS_ON_EMPTY = (
    *("Softmax", "TopK", "InstanceNormalization", "Conv", "ConvTranspose", "MaxPool", "AveragePool"),
    *("GlobalAveragePool", "GlobalMaxPool", "DequantizeLinear", "RotaryEmbedding", "MultiHeadAttention"),
    *("ReduceMax", "ReduceMin"),
)
"""Operators whose GPU kernel throws on an empty tensor, even if its result is not empty."""

_SUMS = ("ReduceL1", "ReduceL2", "ReduceSum", "ReduceSumSquare")


class FoldEmptyTensors(Defect, Pass):
    """Replaces operators on empty tensors by their constant result.

    Defect: the run throws: the kernel does not accept empty tensors, or a reduction over an empty axis. The output of
    ReduceLogSum over an empty axis is wrong.

        Conv(x [0, C, H, W]) [0, M, H, W]     ->  constant [0, M, H, W]
        MatMul(a [M, 0], b [0, N]) [M, N]     ->  zeros [M, N]
        ReduceMax(x [N, 0], axis=1) [N]       ->  -inf [N]
        ScatterND(data, i [0, k], u [0])      ->  data
        TopK(x [0, C], k)                     ->  Slice(x, :k), Cast(Slice(x, :k))

    Why: sizes of 0 come from models exported with an example input in which nothing was detected.

    - A convolution, a pool or a Softmax dispatches no work: `Invalid dispatch group size (0, 1, 1)`.
    - A MatMul over an axis of size 0 binds an empty buffer: `Failed to execute 'createBindGroup'`.
    - A maximum throws `Input tensor cannot be null or empty`.
    - The logarithm of an empty sum may differ from minus infinity: WGSL does not define infinite results.

    How: a value of size 0 becomes a constant without elements. An empty sum becomes zeros, an empty product ones, an
    empty maximum negative infinity. A scatter without updates returns its data. A Pad of an empty tensor returns only
    its padding.

    Limits: static shapes. Empty outputs of the graph stay. A graph with an empty input stays too, since some exporters
    write 0 for a free size. The exception is a TopK of no rows, where the CPU kernel of the WASM build divides by
    zero: it becomes a Slice.

    Exact: ONNX specifies the result of each reduction over zero elements (0, 1, -inf, inf).

    Source: measured on 1.24.3 to 1.31.0-dev; onnxruntime #28772.
    """

    code = "fold-empty-tensors"
    after = ("fold-constants", "eliminate-no-ops")
    finding = "empty-input"
    other_findings = ("empty-reduction", "log-zero-empty", "matmul-k-zero")
    operators = (*THROWS_ON_EMPTY, "MatMul", "Einsum", "Log")
    fix = "give it at least one row"
    probe = "zero/Softmax"
    gpu_only = False
    also_rewrites = "values of size 0 that no kernel throws on, a Pad, a Scatter, a Gemm and the other reductions"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        source, output = node.inputs[0], node.outputs[0]
        if node.op_type != "TopK" and not context.on_gpu(node):
            return None
        if node.op_type == "Log":
            return _log_symptom(source)
        if node.op_type in ("MatMul", "Einsum"):
            over_nothing = any(is_empty(value) for value in node.inputs) and not is_empty(output)
            reason, fix = f"{node.op_type} sums over an axis of size zero", "replace it by zeros"
            return Symptom(reason, fix=fix, finding="matmul-k-zero") if over_nothing else None
        if not is_empty(source) or _chooses_none(node):
            return None
        finding = "empty-reduction" if node.op_type.startswith("Reduce") else ""
        return Symptom(f"{node.op_type} takes no tensor of shape {static_shape(source)}", finding=finding)

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        producer = node.inputs[0].producer() if node.op_type == "Log" and node.inputs[0] is not None else None
        node = producer or node
        output = node.outputs[0]
        if static_shape(output) is None or static_shape(node.inputs[0]) is None:
            return "its shapes are not fixed"
        if node.op_type == "TopK":
            return (
                None
                if opset_version(context.model) >= _SLICE_BY_INPUTS
                else "Slice has no inputs for its bounds before opset 10"
            )
        if any(_is_empty(value) for value in context.model.graph.inputs):
            return "an input of the graph has size 0, which may mean a free size"
        if _is_empty(output):
            return "it is an output of the graph" if output.is_graph_output() else None
        return "its output is too large, or an integer type without infinity" if _uniform_result(node) is None else None

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = [self.applied(node, "it selects from no rows") for node in _rewrite_empty_topk(model)]
        if any(_is_empty(value) for value in (*all_graphs(model.graph)[0].inputs, *model.graph.inputs)):
            return rewrites
        for node in list(model.graph):
            if node.op_type == "Constant" or node.domain not in ("", "ai.onnx"):
                continue
            if not any(_is_empty(value) for value in (*node.inputs, *node.outputs)):
                continue  # a Builder scans the whole graph, so create one only if it is needed
            add = Builder(model.graph, node, f"{node.name or node.op_type}/empty")
            for value in node.outputs:
                if value.uses() and _is_empty(value) and value.dtype is not None:
                    redirect_consumers(value, _filled(add, value, 0))
                    rewrites.append(self.applied(node, f"'{value.name}' has no elements"))
            if is_read(node.outputs[0]) and (result := _constant_result(add, node)) is not None:
                replace_all_uses(node.outputs[0], result)
                rewrites.append(self.applied(node, "it reads an empty tensor"))
        return rewrites


def _rewrite_empty_topk(model: ir.Model) -> Iterator[ir.Node]:
    """Replace every TopK of no rows by a Slice, and yield the old nodes: the CPU kernel fails on them too."""
    for node in find_nodes(model, "TopK"):
        source, count = node.inputs[0], static_shape(node.outputs[0])
        axis = node.attributes.get_int("axis", -1)
        if not _is_empty(source) or count is None or opset_version(model) < _SLICE_BY_INPUTS:
            continue
        add = Builder(model.graph, node, f"{node.name or 'TopK'}/empty")
        chosen = add.slice(source, axis, 0, count[axis])
        indices = add.cast(chosen, ir.DataType.INT64)
        for old, new in zip(node.outputs, (chosen, indices), strict=True):
            new.shape, new.type = old.shape, old.type
            replace_all_uses(old, new)
        yield node


def _constant_result(add: Builder, node: ir.Node) -> ir.Value | None:
    """Return the result of a node that reads empty tensors; None if none of its data is empty, or it is unknown."""
    output, shape = node.outputs[0], static_shape(node.outputs[0])
    if shape is None or 0 in shape or math.prod(shape) > _LARGEST or output.dtype is None:
        return None
    operands = {"MatMul": 2, "Gemm": 2, "ScatterND": 3, "ScatterElements": 3, "Einsum": None}.get(node.op_type, 1)
    if not any(_is_empty(value) for value in node.inputs[:operands]):
        return None
    if node.op_type in _EMPTY_RESULT:
        number = _uniform_result(node)
        return None if number is None else _filled(add, output, number)
    if node.op_type == "Gemm" and node.attributes.get_float("beta", 1.0) == 1.0:
        addend = input_value(node, 2)
        return _filled(add, output, 0) if addend is None else add.op("Expand", addend, add.const(shape, np.int64))
    if node.op_type == "Pad" and node.attributes.get_string("mode", "constant") == "constant":
        fill_value = input_value(node, 2)
        filler = np.array(node.attributes.get_float("value", 0.0)) if fill_value is None else constant(fill_value)
        return None if filler is None else _filled(add, output, filler.item())
    return node.inputs[0] if node.op_type.startswith("Scatter") else None


def _uniform_result(node: ir.Node) -> float | None:
    """Return the number that fills an operator's output; None if there is none, or the output is too large."""
    number, output = _EMPTY_RESULT.get(node.op_type), node.outputs[0]
    if number is None or output.dtype is None or math.prod(static_shape(output) or []) > _LARGEST:
        return None
    return number if math.isfinite(number) or output.dtype.is_floating_point() else None


def _log_symptom(value: ir.Value | None) -> Symptom | None:
    """Return the defect of a Log that reads a sum over an empty tensor."""
    producer = None if value is None else value.producer()
    if producer is None or producer.op_type not in _SUMS or is_empty(value) or not is_empty(producer.inputs[0]):
        return None
    return Symptom(
        f"it reads a {producer.op_type} over an empty tensor, which is 0",
        summary="wrong answer",
        outcome="wrong",
        fix="leave out the reduction over zero elements",
        finding="log-zero-empty",
    )


def _chooses_none(node: ir.Node) -> bool:
    """Whether a TopK works along an axis of size 0, where the kernel returns at once."""
    sizes = static_shape(node.inputs[0])
    axis = node.attributes.get_int("axis", -1)
    return node.op_type == "TopK" and sizes is not None and -len(sizes) <= axis < len(sizes) and sizes[axis] == 0


def _filled(add: Builder, value: ir.Value, number: float) -> ir.Value:
    """Add a constant of a value's shape and type, filled with one number."""
    return add.like(value, np.full(static_shape(value) or [], number))


def _is_empty(value: ir.Value | None) -> bool:
    shape = static_shape(value)
    return shape is not None and 0 in shape
