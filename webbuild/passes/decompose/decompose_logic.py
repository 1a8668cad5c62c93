from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape


class DecomposeLogic(Decomposition):
    """`Or`, `Xor`, `Equal` and `Trilu` of booleans -> `And` and `Not`.

        Or(a, b)         ->  Not(And(Not(a), Not(b)))
        Equal(a, b)      ->  Not(And(Not(And(a, b)), Not(And(Not(a), Not(b)))))
        Xor(a, b)        ->  Not(Equal(a, b))
        Trilu(x [N, M])  ->  And(x, triangle [N, M])

    Why: exported models combine attention masks with these operators. Of the boolean operators only And and Not have
    GPU kernels.

    How: by De Morgan's laws; Trilu is an And with a constant mask. Exact.

    Limits: a Trilu of fixed shape and constant diagonal.
    """

    code = "decompose-logic"

    def decomposers(self) -> Decomposers:
        return {"Or": _or, "Xor": _xor, "Equal": _equal, "Trilu": _trilu}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node has boolean inputs, and no GPU kernel for them."""
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.BOOL and super().matches(model, node, options)


def _or(add: RewriteContext, node: ir.Node) -> ir.Value:
    left, right = node.inputs
    return add.op("Not", add.op("And", add.op("Not", left), add.op("Not", right)))


def _xor(add: RewriteContext, node: ir.Node) -> ir.Value:
    return add.op("Not", _equal(add, node))


def _equal(add: RewriteContext, node: ir.Node) -> ir.Value:
    """Return Not(And(Not(both), Not(neither)))."""
    left, right = node.inputs
    both = add.op("And", left, right)
    neither = add.op("And", add.op("Not", left), add.op("Not", right))
    return add.op("Not", add.op("And", add.op("Not", both), add.op("Not", neither)))


def _trilu(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    k = constant(node.inputs[1]) if len(node.inputs) > 1 else np.array(0)
    if shape is None or k is None:
        raise NotApplicableError("its shape or its diagonal is not known")
    ones = np.ones(shape[-2:], np.bool_)
    upper = node.attributes.get_int("upper", 1)
    return add.op("And", x, add.const((np.triu if upper else np.tril)(ones, int(k.reshape(()))), np.bool_))
