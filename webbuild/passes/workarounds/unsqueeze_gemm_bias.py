from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_SMALL = 8


class UnsqueezeGemmBias(Workaround):
    """Gemm(a [M, K], b [K, N], c []) -> Gemm(a, b, Reshape(c, [1])).

    Defect: the run traps: the bias of a Gemm is a scalar. The engine cannot run anything after that.

    Limits: none. Matrices of up to 8 rows and columns have a separate kernel, which is right.

    Exact: shapes [] and [1] broadcast alike.

    Source: measured on 1.30.0.
    """

    code = "unsqueeze-gemm-bias"
    finding = "gemm-scalar-bias"
    operators = ("Gemm",)
    summary = "traps"
    fix = "give that number a dimension of 1"
    probe = "gemm_with_a_scalar"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        if len(node.inputs) < 3 or static_shape(node.inputs[2]) != [] or _is_small(node):
            return None
        return Symptom("what it adds has no dimensions")

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        bias = node.inputs[2]
        assert bias is not None
        add = Builder(context.model.graph, node, f"{node.name or 'Gemm'}/scalar")
        if (stored := constant(bias)) is None:
            listed = add.reshape(bias, [1])
            listed.shape, listed.type = ir.Shape([1]), bias.type
        else:
            listed = add.const(stored.reshape(1), stored.dtype)
        node.replace_input_with(2, listed)
        return "its bias has the shape [1]"


def _is_small(node: ir.Node) -> bool:
    """Whether both matrices of a Gemm are known to have at most 8 rows and columns."""
    sizes = [static_shape(value) for value in node.inputs[:2]]
    return all(shape is not None and max(shape) <= _SMALL for shape in sizes)
