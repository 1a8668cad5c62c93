"""Gemms that add a single number."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, rank
from webbuild.inspection.rules._base import Rule
from webbuild.passes.gemm_scalars import is_small


class GemmScalar(Rule):
    """The run traps: what a Gemm adds has no dimensions. The engine takes no further call.

    Matrices of up to 8 rows and columns have a kernel of their own, which does not.
    Mend: a list of one number broadcasts to the same.
    Source: measured on 1.30.0.
    """

    code = "gemm-scalar"
    operators = ("Gemm",)
    passes = ("gemm-scalars",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if context.jsep or not context.on_gpu(node) or given(node, 2) is None or rank(given(node, 2)) != 0:
            return None
        if is_small(node):
            return None
        return self.finding(node, "traps", "what it adds has no dimensions", "give that number a dimension of 1")
