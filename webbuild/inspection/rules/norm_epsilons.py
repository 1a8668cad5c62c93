"""InstanceNormalizations of several epsilons."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.rules._base import Rule
from webbuild.passes.norm_epsilons import NormEpsilons


class SeveralEpsilons(Rule):
    """The answer is wrong: the shader of an InstanceNormalization answers for those with another epsilon too.

    Epsilon is written into the shader, and forgotten where the engine looks whether it has that shader already. Which
    of them is wrong depends on the order in which they first run.
    Mend: the same epsilon for all, and inputs scaled accordingly.
    Source: measured on 1.30.0.
    """

    code = "several-epsilons"
    operators = ("InstanceNormalization",)
    outcome = "wrong"
    passes = (NormEpsilons.code,)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if not context.on_gpu(node) or context.jsep:
            return None
        mine = _epsilon(node)
        others = {
            _epsilon(each.node)
            for each in context.nodes
            if each.node.op_type == node.op_type and context.on_gpu(each.node) and _epsilon(each.node) != mine
        }
        if not others:
            return None
        why = f"another has an epsilon of {min(others):.3g}, this one {mine:.3g}, and they may share a shader"
        return self.finding(node, "wrong answer", why, "scale the inputs, so that all have the same epsilon")


def _epsilon(node: ir.Node) -> float:
    return float(np.float32(node.attributes.get_float("epsilon", 1e-5)))
