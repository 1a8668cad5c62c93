from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.decompose.base import NotApplicableError
from webbuild.passes.dtypes.exact_ints import is_scalar
from webbuild.passes.graphs import graphs_of
from webbuild.passes.rewrite import attribute_values, input_value, is_read, known_rank, replace_output

_PAIRS = {"QLinearAdd": "Add", "QLinearMul": "Mul"}
_SINGLE = {
    "QLinearAveragePool": "AveragePool",
    "QLinearGlobalAveragePool": "GlobalAveragePool",
    "QLinearLeakyRelu": "LeakyRelu",
    "QLinearReduceMean": "ReduceMean",
    "QLinearSigmoid": "Sigmoid",
    "QLinearSoftmax": "Softmax",
}


class DecomposeQlinear(Pass):
    """`QLinearSigmoid(x)` -> `Quantize(Sigmoid(Dequantize(x)))`, and ONNX Runtime's other QLinear operators alike.

        QLinearAdd(a, sa, za, b, sb, zb, sy, zy)  ->  Quantize(Dequantize(a, sa, za) + Dequantize(b, sb, zb), sy, zy)
        QLinearSigmoid(x, sx, zx, sy, zy)         ->  Quantize(Sigmoid(Dequantize(x, sx, zx)), sy, zy)
        QLinearConcat(sy, zy, a, sa, za, ...)     ->  Quantize(Concat(Dequantize(a, sa, za), ...), sy, zy)
        QGemm(a, sa, za, b, sb, zb, c, sy, zy)    ->  Quantize(Gemm(Dequantize(a), Dequantize(b), c * sa * sb), sy, zy)

    Why: QLinear operators have no GPU kernel. The pass `dequantize-ops` then rewrites the result for the GPU.

    Exact except for ties: the engine's kernels may round a number halfway between two steps to the other step.

    Source: onnxruntime's ContribOperators.md.
    """

    code = "decompose-qlinear"
    after = ("downgrade-opset",)
    target = "webgpu"
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        return [
            self._rewrite(model, graph, node)
            for graph in graphs_of(model)
            for node in [each for each in graph if each.domain == "com.microsoft" and each.op_type in _WRITTEN]
            if any(map(is_read, node.outputs))
        ]

    def _rewrite(self, model: ir.Model, graph: ir.Graph, node: ir.Node) -> Rewrite:
        add = Builder(graph, node, f"{node.name or node.op_type}/plain", model.graph.opset_imports[""])
        try:
            result = _WRITTEN[node.op_type](add, node)
        except NotApplicableError as reason:
            return self.skipped(node, str(reason))
        result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
        replace_output(node, result)
        return self.applied(node, "computed between DequantizeLinear and QuantizeLinear")


def _add_dequantize(add: Builder, node: ir.Node, index: int, **axis: int) -> ir.Value:
    """Add a DequantizeLinear of input `index`; the next two inputs are its scale and zero point."""
    data = node.inputs[index]
    result = add.op("DequantizeLinear", *(input_value(node, index + each) for each in range(3)), **axis)
    result.shape = None if data is None else data.shape
    result.type = ir.TensorType(ir.DataType.FLOAT)
    return result


def _add_quantize(add: Builder, node: ir.Node, value: ir.Value, scale: int) -> ir.Value:
    value.shape, value.type = node.outputs[0].shape, ir.TensorType(ir.DataType.FLOAT)
    if input_value(node, scale + 1) is None:
        raise NotApplicableError("it has no output zero point")
    return add.op("QuantizeLinear", value, node.inputs[scale], node.inputs[scale + 1])


def _pair(add: Builder, node: ir.Node) -> ir.Value:
    sides = [_add_dequantize(add, node, index) for index in (0, 3)]
    return _add_quantize(add, node, add.op(_PAIRS[node.op_type], *sides), 6)


def _single(add: Builder, node: ir.Node) -> ir.Value:
    values = attribute_values(node)
    if values.pop("channels_last", 0):
        raise NotApplicableError("its channels are the last axis")
    if node.op_type == "QLinearSoftmax" and values.pop("opset", 13) < 13:
        rank = known_rank(node.inputs[0])
        if rank is None or values.get("axis", 1) % rank != rank - 1:
            raise NotApplicableError("its Softmax is over several axes")
    return _add_quantize(add, node, add.op(_SINGLE[node.op_type], _add_dequantize(add, node, 0), **values), 3)


def _concat(add: Builder, node: ir.Node) -> ir.Value:
    parts = [_add_dequantize(add, node, index) for index in range(2, len(node.inputs), 3)]
    return _add_quantize(add, node, add.op("Concat", *parts, **attribute_values(node)), 0)


def _gemm(add: Builder, node: ir.Node) -> ir.Value:
    """Add a Gemm of a [M, K] and b [K, N]: b may have a scale per column, c is int32 in units of sa * sb."""
    values = attribute_values(node)
    columns = {} if is_scalar(node.inputs[4]) else {"axis": 0 if values.get("transB", 0) else 1}
    if columns and add.opset < 13:
        raise NotApplicableError("it has a scale for each column, which DequantizeLinear supports from opset 13 on")
    sides = [_add_dequantize(add, node, 0), _add_dequantize(add, node, 3, **columns)]
    if (bias := input_value(node, 6)) is not None:
        steps = add.op("Mul", node.inputs[1], node.inputs[4])
        sides.append(add.op("Mul", add.op("Cast", bias, to=ir.DataType.FLOAT), steps))
    result = add.op("Gemm", *sides, **values, beta=values.get("alpha", 1.0))
    return result if input_value(node, 7) is None else _add_quantize(add, node, result, 7)


_WRITTEN: dict[str, Callable[[Builder, ir.Node], ir.Value]] = {
    **dict.fromkeys(_PAIRS, _pair),
    **dict.fromkeys(_SINGLE, _single),
    "QLinearConcat": _concat,
    "QGemm": _gemm,
}
