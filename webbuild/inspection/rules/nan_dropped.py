"""Bounds that take the place of NaN."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, dtype, shape
from webbuild.inspection.rules._base import Rule

_SMALL = 1 << 16
"""Elements of an input up to which the CPU may as well do its first step."""

_MAKERS = ("Acos", "Acosh", "Asin", "Atanh", "Div", "Log", "Pow", "Sqrt")
"""Operators that make NaN of numbers."""


class NanDropped(Rule):
    """NaN is lost: the GPU gives a bound where the CPU gives NaN, and shaders may be compiled as if there were none.

    Relu, Clip, Max and Min of NaN give 0 or the bound. WGSL lets a compiler assume that there is no NaN, so no form of
    them in operators is sure to keep it.
    Mend: force-cpu, where a small input of the graph may hold it: that lies on the CPU anyway. What is computed on
    the way stays as it is, since copies would cost every run more than NaN is worth: see that the model makes none.
    Source: measured on 1.24.3 to 1.31.0-dev; WGSL, "floating point evaluation".
    """

    code = "nan-dropped"
    operators = ("Relu", "Clip", "Max", "Min")
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or dtype(node.outputs[0]) not in ("float", "float16"):
            return None
        data = node.inputs if node.op_type in ("Max", "Min") else node.inputs[:1]
        values = [value for value in data if value is not None]
        what, fix = f"NaN becomes a bound of {node.op_type}", "keep NaN out of the model"
        if fed := next((value for value in values if is_fed(value)), None):
            why = f"'{fed.name}' is an input of the graph, and may hold NaN"
            return self.finding(node, what, why, fix, mended_by="force-cpu")
        for value in values:
            producer = value.producer()
            if producer is not None and producer.op_type in _MAKERS:
                return self.finding(node, what, f"{producer.op_type} makes NaN of some numbers", fix)
        return None


def is_fed(value: ir.Value | None) -> bool:
    """Whether a value comes from outside, and is small: a picture holds no NaN, and takes the CPU its time."""
    sizes = shape(value)
    if value is None or sizes is None or not value.is_graph_input() or value.is_initializer():
        return False
    return math.prod(sizes) <= _SMALL
