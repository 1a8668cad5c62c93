from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.dtypes.exact_ints import is_scalar
from webbuild.passes.rewrite import attribute_values, find_nodes, input_value, opset_version, replace_output

_FLOAT_OPERATORS = {"QLinearConv": "Conv", "QLinearMatMul": "MatMul"}
_MIN_OPSET = 13
"""First opset in which DequantizeLinear has an axis."""


class DecomposeInt8Qlinear(Pass):
    """`QLinearConv(x, w, b)` -> `Quantize(Conv(Dequantize(x), Dequantize(w), b * sx * sw))`, if it has no kernel.

        QLinearConv(x, sx, zx, w, sw, zw, sy, zy, b)  ->  Quantize(Conv(Dequantize(x), Dequantize(w), b * sx * sw))
        QLinearMatMul(a, sa, za, b, sb, zb, sy, zy)   ->  Quantize(MatMul(Dequantize(a), Dequantize(b)), sy, zy)

    Why: onnxruntime-web computes both for uint8 only, while ONNX Runtime's quantize_static writes int8 by default. A
    session with an int8 one fails. ONNX Runtime itself turns the operators between int8 DequantizeLinear and
    QuantizeLinear into uint8 ones.

    Exact except for ties: a number halfway between two steps may be rounded to the other step.
    """

    code = "decompose-int8-qlinear"
    after = ("dequantize-ops",)
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, *_FLOAT_OPERATORS):
            if placement(model, node, options) != "none":
                continue
            graph = node.graph
            assert isinstance(graph, ir.Graph)
            several = not is_scalar(node.inputs[4])
            if several and opset_version(model) < _MIN_OPSET:
                rewrites.append(self.skipped(node, "it has a scale for each channel, and DequantizeLinear has no axis"))
                continue
            add = Builder(graph, node, f"{node.name or node.op_type}/plain", opset_version(model))
            result = _between_floats(add, node, several=several)
            result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
            replace_output(node, result)
            rewrites.append(self.applied(node, "computed between DequantizeLinear and QuantizeLinear"))
        return rewrites


def _between_floats(add: Builder, node: ir.Node, *, several: bool) -> ir.Value:
    # there may be a scale for each of the M channels of weights [M, C, kh, kw], or of the N columns of [K, N]
    axis = {"axis": 0 if node.op_type == "QLinearConv" else -1} if several else {}
    sides = [add.op("DequantizeLinear", *node.inputs[:3]), add.op("DequantizeLinear", *node.inputs[3:6], **axis)]
    if (bias := input_value(node, 8)) is not None:
        steps = add.op("Mul", node.inputs[1], node.inputs[4])
        sides.append(add.op("Mul", add.cast(bias, ir.DataType.FLOAT), steps))
    for value, source in zip(sides, (node.inputs[0], node.inputs[3], bias), strict=False):
        value.shape, value.type = None if source is None else source.shape, ir.TensorType(ir.DataType.FLOAT)
    total = add.op(_FLOAT_OPERATORS[node.op_type], *sides, **attribute_values(node))
    total.shape, total.type = node.outputs[0].shape, ir.TensorType(ir.DataType.FLOAT)
    return add.op("QuantizeLinear", total, node.inputs[6], node.inputs[7])
