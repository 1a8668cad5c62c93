from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import known_rank


class DecomposeSoftmax(Decomposition):
    """`LogSoftmax(x [N, C])` -> `s - Log(ReduceSum(Exp(s)))`, `s = x - ReduceMax(x)`.

    Why: WebGPU has no kernel for LogSoftmax.

    How: by its definition. Before opset 13 it reduces over the axis and all axes after it. Accurate to 1e-6 of the
    largest magnitude.
    """

    code = "decompose-softmax"
    tolerance = 1e-6

    def decomposers(self) -> Decomposers:
        return {"LogSoftmax": _log_softmax}


def _log_softmax(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, rank = node.inputs[0], known_rank(node.inputs[0])
    if not rank:
        raise NotApplicableError("its rank is not known")
    axis = node.attributes.get_int("axis", -1 if add.opset >= 13 else 1) % rank
    axes = [axis] if add.opset >= 13 else list(range(axis, rank))
    shifted = add.op("Sub", x, add.reduce("ReduceMax", x, axes))
    total = add.reduce("ReduceSum", add.op("Exp", shifted), axes)
    return add.op("Sub", shifted, add.op("Log", total))
