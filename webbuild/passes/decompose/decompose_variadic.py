from __future__ import annotations

from functools import reduce

import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, RewriteContext


class DecomposeVariadic(Decomposition):
    """`Sum(a, b, c)` -> `Add(Add(a, b), c)`; `Mean(a, b, c)` -> `Div(Add(Add(a, b), c), 3)`.

    Why: WebGPU has no kernel for either.

    How: the operands are added in their order, as on the CPU. Accurate to 1e-6 of the largest magnitude.
    """

    code = "decompose-variadic"
    tolerance = 1e-6

    def decomposers(self) -> Decomposers:
        return {"Sum": _sum, "Mean": _mean}


def _sum(add: RewriteContext, node: ir.Node) -> ir.Value:
    operands = [value for value in node.inputs if value is not None]
    if len(operands) < 2:
        return add.op("Identity", operands[0])
    return reduce(lambda total, operand: add.op("Add", total, operand), operands)


def _mean(add: RewriteContext, node: ir.Node) -> ir.Value:
    total = _sum(add, node)
    if len(node.inputs) < 2:
        return total
    return add.op("Div", total, add.like(total, len(node.inputs)))
