"""Activations of LSTM and GRU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class RnnActivation(Rule):
    """Throws: the GPU kernels of LSTM and GRU know Relu, Tanh and Sigmoid, and no other activation.

    Fix: export with one of these.
    Source: measured on 1.30.0.
    """

    code = "rnn-activation"
    operators = ("LSTM", "GRU")

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        names = node.attributes.get_strings("activations", [])
        others = [name for name in names if name.lower() not in ("relu", "tanh", "sigmoid")]
        if not context.on_gpu(node) or not others:
            return None
        return self.finding(node, "throws", f"its kernel has no {others[0]}", "export with Relu, Tanh or Sigmoid")
