"""Operators on quantised numbers."""

from __future__ import annotations

from webbuild.probe.form import always

_MAP = (1, 4, 8, 8)

FORMS = {
    "ConvInteger": always(_MAP, (4, 4, 3, 3)),
    "DequantizeLinear": always(_MAP, (), ()),
    "DynamicQuantizeLinear": always(_MAP, outputs=3),
    "MatMulInteger": always((3, 4), (4, 5)),
    "QLinearConv": always(_MAP, (), (), (4, 4, 3, 3), (), (), (), ()),
    "QLinearMatMul": always((3, 4), (), (), (4, 5), (), (), (), ()),
    "QuantizeLinear": always(_MAP, (), ()),
}
