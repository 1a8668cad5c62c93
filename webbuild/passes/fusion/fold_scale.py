from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.column_factors import Floats
from webbuild.passes.analysis.scalable_weights import ScaledWeights, scalable_weights
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, known_rank, replace_all_uses, static_shape


class FoldScale(Pass):
    """`Mul(MatMul(x, w) + b, s)` -> `MatMul(x, s w) + s b`, for a constant `s`.

        Mul(MatMul(x, w) + b, s)                        ->  MatMul(x, s w) + s b
        Mul(Transpose(Reshape(MatMul(x, w) + b)), s)    ->  Transpose(Reshape(MatMul(x, s w) + s b))
        Div(MatMul(q, k), s), q = MatMul(x, w)          ->  MatMul(MatMul(x, w / s), k)

    Why: attention scales its queries, and in many exports its keys too: a shader each, and a copy of the tensor. So do
    the layer scales of DINOv2 and ConvNeXt.

    How: the constant moves back through data movement, products and sums, to a MatMul, a Gemm or a LayerNormalization
    with constant weights. Each column of the weights is multiplied by its factor.

    Limits: float32, fixed shapes, weights that nothing else reads, columns that nothing else uses. Accurate to 1e-5:
    the factor is applied before a sum instead of after it.
    """

    code = "fold-scale"
    after = ("canonicalize", "fold-constants", "eliminate-no-ops")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Mul", "Div"):
            scaled = _scaled(node)
            if scaled is None:
                continue
            value, factor = scaled
            plan = scalable_weights(value, node, factor)
            if plan is None:
                continue
            for column in plan:
                _multiply(model.graph, column)
            replace_all_uses(node.outputs[0], value)
            model.graph.remove(node, safe=True)
            rewrites.append(self.applied(node, f"the weights of {_named(plan[0].node)} are scaled"))
        return rewrites


def _named(node: ir.Node) -> str:
    return f"{node.op_type} '{node.name}'"


def _scaled(node: ir.Node) -> tuple[ir.Value, Floats] | None:
    """Return the computed operand of a product with a constant, and the constant."""
    first, second = node.inputs
    if first is None or second is None or first.dtype != ir.DataType.FLOAT:
        return None
    value, array = first, constant(second)
    if array is None and node.op_type == "Mul":
        value, array = second, constant(first)
    if array is None or constant(value) is not None or static_shape(value) != static_shape(node.outputs[0]):
        return None
    if (rank := known_rank(value)) is None or array.ndim > rank:
        return None
    with np.errstate(all="ignore"):
        factor = np.asarray(array if node.op_type == "Mul" else 1 / array.astype(np.float64), np.float32)
    if not factor.size or not np.isfinite(factor).all() or not factor.all():
        return None
    return value, factor


def _multiply(graph: ir.Graph, scaled: ScaledWeights) -> None:
    array = constant(scaled.node.inputs[scaled.index])
    assert array is not None
    factors = scaled.factors.reshape(-1, 1) if scaled.axis == 0 else scaled.factors.reshape(-1)
    value = array.astype(np.float64) * (factors if factors.size > 1 else factors.reshape(()))
    add = Builder(graph, scaled.node, f"{scaled.node.name or scaled.node.op_type}/scaled")
    scaled.node.replace_input_with(scaled.index, add.const(value.astype(np.float32), np.float32))
