from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.dtypes.int32_lowering import sliced_indices

_HALF_WORD = 1 << 16


class Int32DataMovement(Decomposition):
    """Replaces int32 Slice and GatherElements by operators that have GPU kernels.

        Slice(x int32 [N, C], 0:N:2)      ->  Gather(x, [0, 2, 4, ...])
        GatherElements(x int32, i)        ->  65536 * GatherElements(high, i) + GatherElements(low, i)    in float32

    Why: these two have GPU kernels for floats only. After a Cast of labels or positions each is a copy to the CPU and
    back.

    How: a Slice with constant bounds becomes a Gather of the indices that it keeps. GatherElements moves the upper and
    lower 16 bits separately in float32. Exact.
    """

    code = "int32-data-movement"

    def decomposers(self) -> Decomposers:
        return {"Slice": _slice, "GatherElements": _gather}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node moves int32 and has no kernel for it."""
        x = node.inputs[0]
        return x is not None and x.dtype == ir.DataType.INT32 and super().matches(model, node, options)


def _slice(add: RewriteContext, node: ir.Node) -> ir.Value:
    indices, value = sliced_indices(node), node.inputs[0]
    if indices is None:
        raise NotApplicableError("its bounds are computed, or it keeps nothing")
    for places, axis in indices:
        value = add.op("Gather", value, add.const(places, np.int64), axis=axis)
    assert value is not None
    return value


def _gather(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, places, axis = node.inputs[0], node.inputs[1], node.attributes.get_int("axis", 0)
    base = add.const(_HALF_WORD, np.int32)
    # x = upper * 2^16 + lower: both halves are exact in float32
    upper = add.op("Div", x, base)
    lower = add.op("Sub", x, add.op("Mul", upper, base))
    halves = []
    for half in (upper, lower):
        floats = add.cast(half, ir.DataType.FLOAT)
        taken = add.op("GatherElements", floats, places, axis=axis)
        halves.append(add.cast(taken, ir.DataType.INT32))
    return add.op("Add", add.op("Mul", halves[0], base), halves[1])
