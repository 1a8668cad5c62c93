from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround
from webbuild.passes.workarounds.expand_operands import VECTOR, expand_operands


class ExpandPowOperands(Workaround):
    """Pow(x [.., 4k], e [.., 1]) -> Pow(x, Expand(e, [.., 4k])); Pow(x, [[2]]) -> Pow(x, 2).

    Defect: the run throws: one side of a Pow has a last axis that is a multiple of 4, the other a last axis of 1 and
    two dimensions or more. `Invalid ShaderModule "Pow"`: its shader raises a vector of four numbers to a number.

    Why: tf2onnx writes a scalar exponent with as many dimensions as the base. An exponent of rank 0 or 1 has a separate
    shader, which is right.

    Limits: both shapes must be fixed, or the exponent a constant with one element.

    Exact: the same numbers at the same positions.

    Source: measured on 1.30.0.
    """

    code = "expand-pow-operands"
    after = ("fold-constants", "pow-float-exponent")
    finding = "pow-broadcast"
    operators = ("Pow",)
    fix = "give the exponent no dimensions, or both sides one shape"
    probe = "binary/Pow by a column"
    also_rewrites = "every exponent of one number: the engine may change the order of axes before it computes"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        base, exponent = map(static_shape, node.inputs)
        if base is None or exponent is None or not _is_affected(base, exponent):
            return None
        return Symptom(f"{exponent} is broadcast to {base}, or the other way round")

    def rewrites_node(self, node: ir.Node, context: PassContext) -> bool:
        return self.affects(node, context) is not None or _is_deep_number(node)

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        add = Builder(context.model.graph, node, f"{node.name or 'Pow'}/operands")
        if _is_deep_number(node) and (number := constant(node.inputs[1])) is not None:
            node.replace_input_with(1, add.const(number.reshape(()), number.dtype))
            return "its exponent has no dimensions"
        return expand_operands(add, node)


def _is_affected(base: Sequence[int], exponent: Sequence[int]) -> bool:
    return any(
        len(few) > 1 and few[-1] == 1 and many[-1:] and many[-1] % VECTOR == 0 and many[-1] > 0
        for few, many in ((base, exponent), (exponent, base))
    )


def _is_deep_number(node: ir.Node) -> bool:
    """Whether the exponent is a constant with one element, of rank 2 or more, but of no higher rank than the base."""
    base, exponent = node.inputs[0], constant(node.inputs[1])
    if base is None or base.shape is None or exponent is None or exponent.ndim < 2:
        return False
    return exponent.size == 1 and exponent.ndim <= len(base.shape)
