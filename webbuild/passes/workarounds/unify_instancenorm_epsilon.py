from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import RewriteContext
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_DEFAULT_EPSILON = 1e-5
"""The default of ONNX and of PyTorch."""


class UnifyInstanceNormEpsilon(Workaround):
    """InstanceNormalization(x, epsilon=e) -> InstanceNormalization(s * x, epsilon=1e-5), s = sqrt(1e-5 / e).

    Defect: the answer is wrong: an InstanceNormalization reuses the cached shader of one with another epsilon.

    Why: the shader contains epsilon as a constant, but the engine's shader cache key does not. Which of two nodes is
    wrong depends on the order in which they first run.

    How: with an input that is s times as large, numerator and denominator are s times as large, so all nodes can have
    the same epsilon:

        (s*x - s*m) / sqrt(s^2 * v + s^2 * e) = (x - m) / sqrt(v + e)

    Limits: float32, an epsilon above 0.

    Exact: to 1e-5 of the largest magnitude.

    Source: measured on 1.30.0.
    """

    code = "unify-instancenorm-epsilon"
    finding = "instancenorm-shader-cache"
    after = ("decompose-norms",)
    operators = ("InstanceNormalization",)
    outcome = "wrong"
    fix = "scale the inputs, so that all have the same epsilon"
    probe = "instance_norms_of_two_epsilons"
    tolerance = 1e-5
    also_rewrites = "an only epsilon other than 1e-5: two models of one page share their shaders"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        others = {_epsilon(other) for other in _nodes(context)} - {_epsilon(node)}
        if not others:
            return None
        epsilon, other = _epsilon(node), min(others)
        return Symptom(f"another has an epsilon of {other:.3g}, this one {epsilon:.3g}, and they may share a shader")

    def rewrites_node(self, node: ir.Node, context: PassContext) -> bool:
        """Whether the epsilon of a node is not the default."""
        return not _is_default(node)

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        affected = [node] if not _is_default(node) else [other for other in _nodes(context) if not _is_default(other)]
        kinds = {None if other.inputs[0] is None else other.inputs[0].dtype for other in affected}
        if all(_epsilon(other) > 0 for other in affected) and kinds <= {ir.DataType.FLOAT}:
            return None
        return "its epsilon is 0, or it is not float32"

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        epsilon, x = _epsilon(node), node.inputs[0]
        assert x is not None
        add = RewriteContext(context.model, node)
        scaled = add.op("Mul", x, add.like(x, math.sqrt(_DEFAULT_EPSILON / epsilon)))
        scaled.shape = x.shape
        node.replace_input_with(0, scaled)
        node.attributes["epsilon"] = ir.AttrFloat32("epsilon", _DEFAULT_EPSILON)
        return f"its input is scaled, and its epsilon of {epsilon:.3g} becomes 1e-5"


def _nodes(context: DefectContext) -> Iterator[ir.Node]:
    """Yield every InstanceNormalization on the GPU, including those in bodies of If and Loop."""
    for node in context.model.graph.all_nodes():
        if node.op_type == "InstanceNormalization" and context.on_gpu(node):
            yield node


def _epsilon(node: ir.Node) -> float:
    return float(np.float32(node.attributes.get_float("epsilon", _DEFAULT_EPSILON)))


def _is_default(node: ir.Node) -> bool:
    return math.isclose(_epsilon(node), _DEFAULT_EPSILON, rel_tol=1e-6)
