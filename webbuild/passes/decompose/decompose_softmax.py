from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext


class DecomposeSoftmax(Decomposition):
    """Writes LogSoftmax and Hardmax with reductions.

        LogSoftmax(x [N, C])  ->  s - Log(ReduceSum(Exp(s))),  s = x - ReduceMax(x)
        Hardmax(x [N, C])     ->  (0 .. C - 1) == ReduceMin(Where(x == ReduceMax(x), (0 .. C - 1), C))

    Why: WebGPU has no kernel for either.

    How: LogSoftmax is x - max - log(sum(exp(x - max))), right to 1e-6 of the largest magnitude. Hardmax is 1 at the
    lowest position at which x equals its maximum, and exact. Before opset 13 both reduce over the axis and all after
    it.
    """

    code = "decompose-softmax"
    tolerance = 1e-6

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"LogSoftmax": _log_softmax, "Hardmax": _hardmax}


def _axes(add: RewriteContext, node: ir.Node) -> tuple[list[int], list[int | None]]:
    """Return the axes reduced over, and the whole shape, None for a free size."""
    x = node.inputs[0]
    if x is None or x.shape is None or len(x.shape) == 0:
        raise NotApplicableError("its rank is not known")
    shape = [size if isinstance(size, int) else None for size in x.shape]
    axis = node.attributes.get_int("axis", -1 if add.opset >= 13 else 1) % len(shape)
    return ([axis] if add.opset >= 13 else list(range(axis, len(shape)))), shape


def _log_softmax(add: RewriteContext, node: ir.Node) -> ir.Value:
    axes, _ = _axes(add, node)
    shifted = add.op("Sub", node.inputs[0], add.reduce("ReduceMax", node.inputs[0], axes))
    total = add.reduce("ReduceSum", add.op("Exp", shifted), axes)
    return add.op("Sub", shifted, add.op("Log", total))


def _hardmax(add: RewriteContext, node: ir.Node) -> ir.Value:
    axes, shape = _axes(add, node)
    place = [1 if axis not in axes else size for axis, size in enumerate(shape)]
    sizes = [size for size in place if size is not None]
    count, x = prod(sizes), node.inputs[0]
    half = x is not None and x.dtype == ir.DataType.FLOAT16
    if len(sizes) < len(place) or count > 1 << (11 if half else 24):
        raise NotApplicableError("its positions are not known, or more than its type counts")
    position = add.like(x, np.arange(count).reshape(sizes))
    is_largest = add.op("Equal", x, add.reduce("ReduceMax", x, axes))
    first = add.reduce("ReduceMin", add.op("Where", is_largest, position, add.like(x, count)), axes)
    return add.op("Cast", add.op("Equal", position, first), to=_type(x))


def _type(value: ir.Value | None) -> int:
    assert value is not None
    assert value.dtype is not None
    return value.dtype.value
