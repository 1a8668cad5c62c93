"""Or, Xor and equality of truth values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Options
from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant, dims


class SimplerLogic(Decomposition):
    """Writes Or, Xor, Equal and Trilu of truth values with And and Not.

    Why: masks of attention are joined so, and And and Not alone have GPU kernels for truth values.

    How: by De Morgan; a triangle is an And with a constant mask. Exact.
    """

    code = "simpler-logic"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {"Or": _or, "Xor": _xor, "Equal": _equal, "Trilu": _trilu}

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether it has truth values, and no kernel for them."""
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.BOOL and super().concerns(model, node, options)


def _or(add: Draft, node: ir.Node) -> ir.Value:
    left, right = node.inputs
    return add.op("Not", add.op("And", add.op("Not", left), add.op("Not", right)))


def _xor(add: Draft, node: ir.Node) -> ir.Value:
    return add.op("Not", _equal(add, node))


def _equal(add: Draft, node: ir.Node) -> ir.Value:
    """Return Not(And(Not(both), Not(neither)))."""
    left, right = node.inputs
    both = add.op("And", left, right)
    neither = add.op("And", add.op("Not", left), add.op("Not", right))
    return add.op("Not", add.op("And", add.op("Not", both), add.op("Not", neither)))


def _trilu(add: Draft, node: ir.Node) -> ir.Value:
    x, shape = node.inputs[0], dims(node.inputs[0])
    k = constant(node.inputs[1]) if len(node.inputs) > 1 else np.array(0)
    if shape is None or k is None:
        raise UnfitError("its shape or its diagonal is not known")
    ones = np.ones(shape[-2:], np.bool_)
    upper = node.attributes.get_int("upper", 1)
    return add.op("And", x, add.const((np.triu if upper else np.tril)(ones, int(k.reshape(()))), np.bool_))
