"""Quantization operators and operators on quantized tensors."""

from __future__ import annotations

from webbuild.probe.op_template import fixed_template

_MAP = (1, 4, 8, 8)

TEMPLATES = {
    "ConvInteger": fixed_template(_MAP, (4, 4, 3, 3)),
    "DequantizeLinear": fixed_template(_MAP, (), ()),
    "DynamicQuantizeLinear": fixed_template(_MAP, outputs=3),
    "MatMulInteger": fixed_template((3, 4), (4, 5)),
    "QLinearConv": fixed_template(_MAP, (), (), (4, 4, 3, 3), (), (), (), ()),
    "QLinearMatMul": fixed_template((3, 4), (), (), (4, 5), (), (), (), ()),
    "QuantizeLinear": fixed_template(_MAP, (), ()),
}
