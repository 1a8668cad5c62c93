"""Sines of angles far from zero."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, is_small_input
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule

_BOUNDED = ("Atan", "Clip", "Cos", "HardSigmoid", "Mod", "Sigmoid", "Sin", "Softmax", "Tanh")


class TrigRange(Rule):
    """The answer is less exact the larger the angle: WGSL promises 2^-11 for sine and cosine within -pi to pi alone.

    Measured on a software adapter, the error of Sin and Cos is 0.0002 up to 1,000, 0.0008 at 10,000, 0.007 at 100,000,
    0.09 at 1,000,000: the angle is divided by a turn in one step. Encodings of positions and of time seldom go beyond
    1,000.
    Fix: take whole turns off before it. Where a small input of the graph is read, cpu-fallback: that lies on the CPU
    anyway.
    Source: measured on 1.30.0; WGSL, "accuracy of built-in functions".
    """

    code = "trig-range"
    operators = ("Sin", "Cos", "Tan")
    severity = "note"
    outcome = "wrong"

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        source = node.inputs[0]
        producer = None if source is None else source.producer()
        if not context.on_gpu(node) or (producer is not None and producer.op_type in _BOUNDED):
            return None
        what, fix = f"{node.op_type} beyond 10,000 is off by 0.001 and more", "take whole turns off before it"
        if is_small_input(source):
            return self.finding(node, what, "it reads an input of the graph", fix, mended_by="cpu-fallback")
        return self.finding(node, what, "WGSL promises nothing beyond -pi to pi", fix)
