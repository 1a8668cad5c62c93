"""Bounds that take the place of NaN."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, shape
from webbuild.inspection.rules._base import Rule
from webbuild.passes.force_cpu import ForceCpu
from webbuild.passes.kept_nan import KeptNan, may_be_nan

_SMALL = 1 << 16
"""Elements of an input up to which the CPU may as well do its first step."""


class NanDropped(Rule):
    """NaN is lost: the GPU gives a bound where the CPU gives NaN.

    Relu and Clip of NaN give 0 or the bound; on the default entry's build Max and Min do too. The native build's look
    at the bits of theirs, and keep NaN.
    Mend: kept-nan, on the native build. On the other, a model that reads a small input there steps to WASM; where a
    division, a root or a logarithm is read, see that it makes none: nothing but the numbers of a run can tell.
    Source: measured on 1.24.3 to 1.31.0-dev; WGSL, "floating point evaluation".
    """

    code = "nan-dropped"
    operators = ("Relu", "Clip", "Max", "Min")
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        bits = node.op_type in ("Max", "Min")
        if not context.on_gpu(node) or (bits and not context.jsep):
            return None
        value = next((each for each in (node.inputs if bits else node.inputs[:1]) if may_be_nan(each)), None)
        if value is None:
            return None
        producer = value.producer()
        why = f"'{value.name}' is an input of the graph, and may hold NaN"
        if producer is not None:
            why = f"{producer.op_type} makes NaN of some numbers"
        mend = KeptNan.code
        if context.jsep:
            mend = ForceCpu.code if producer is None else ""
        what = f"NaN becomes a bound of {node.op_type}"
        return self.finding(node, what, why, "keep NaN out of the model", mended_by=mend)


def is_fed(value: ir.Value | None) -> bool:
    """Whether a value comes from outside, and is small: a picture holds no NaN, and takes the CPU its time."""
    sizes = shape(value)
    if value is None or sizes is None or not value.is_graph_input() or value.is_initializer():
        return False
    return math.prod(sizes) <= _SMALL
