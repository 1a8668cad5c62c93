"""Small 1x1 convolutions with a bias, before 1.30."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, shape
from webbuild.inspection.rules._base import Rule


class TinyConvBias(Rule):
    """The answer is wrong: a 1x1 Conv with a bias, from fewer than 8 channels to fewer than 8, before 1.30.0.

    Mend: the engine from 1.30.0 on, or the bias as an Add.
    Source: measured on 1.24.3, 1.27.0, 1.29.0; right on 1.30.0. onnxruntime #29651.
    """

    code = "tiny-conv-bias"
    operators = ("Conv",)
    outcome = "wrong"

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        weight = shape(given(node, 1))
        if not context.on_gpu(node) or context.jsep or context.version >= (1, 30) or weight is None:
            return None
        if given(node, 2) is None or any(size != 1 for size in weight[2:]) or max(weight[:2]) >= 8:
            return None
        return self.finding(
            node,
            "wrong answer",
            "its bias is lost: a 1x1 Conv of fewer than 8 channels",
            "use the engine from 1.30.0 on",
        )
