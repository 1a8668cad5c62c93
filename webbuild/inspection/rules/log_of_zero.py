"""Logarithms of 0."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.infinite_logarithms import InfiniteLogarithms, is_guarded, may_be_zero


class LogOfZero(Rule):
    """The answer may be a number where the CPU's is minus infinity: a Log of 0.

    WGSL leaves open what an expression gives that is infinite. Measured on a software adapter, it is -88. A mask of
    zeros and ones that is made additive by a Log then lets through what it should hide.
    Mend: infinite-logarithms puts minus infinity where a 0 is read.
    Source: measured on 1.30.0; WGSL, "floating point evaluation".
    """

    code = "log-of-zero"
    operators = ("Log",)
    severity = "note"
    outcome = "wrong"
    passes = (InfiniteLogarithms.code,)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or not may_be_zero(node.inputs[0]) or is_guarded(node):
            return None
        return self.finding(
            node, "minus infinity becomes a number", "it may read 0", "put minus infinity there with a Where"
        )
