"""InstanceNormalizations of several epsilons."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._decompose import Draft
from webbuild.passes._graph import nodes_of
from webbuild.passes._kernels import placement

USUAL = 1e-5
"""ONNX's default, and that of PyTorch's networks."""


class NormEpsilons(Pass):
    """Gives every InstanceNormalization the same epsilon, and scales its input instead.

    Why: onnxruntime-web's WebGPU writes epsilon into the shader of InstanceNormalization, and forgets it where it looks
    whether it has that shader already. Of two with an epsilon each, in one model or in two on a page, one answers with
    the other's: silently wrong, the more so the smaller the variance.

    How: with an input that is s times as large, s = sqrt(1e-5 / epsilon), and 1e-5 for epsilon, numerator and
    denominator are s times as large, and the result is the same. Right to 1e-5 of the largest magnitude. An epsilon of
    1e-5 stays, as PyTorch's networks have it; one of 0 has no such s.
    """

    code = "norm-epsilons"
    after = ("simpler-norms",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Scale the input of each that has another epsilon."""
        edits = []
        for node in nodes_of(model, "InstanceNormalization"):
            epsilon, x = node.attributes.get_float("epsilon", USUAL), node.inputs[0]
            if math.isclose(epsilon, USUAL, rel_tol=1e-6) or placement(model, node, options) != "gpu":
                continue
            where = f"InstanceNormalization '{node.name}'"
            if epsilon <= 0 or x is None or x.dtype != ir.DataType.FLOAT:
                edits.append(self.left(where, "its epsilon is 0, or it is not float32"))
                continue
            add = Draft(model, node)
            scaled = add.op("Mul", x, add.like(x, math.sqrt(USUAL / epsilon)))
            scaled.shape = x.shape
            node.replace_input_with(0, scaled)
            node.attributes["epsilon"] = ir.AttrFloat32("epsilon", USUAL)
            edits.append(self.done(where, f"its input is scaled, and its epsilon of {epsilon:.3g} becomes 1e-5"))
        return edits
