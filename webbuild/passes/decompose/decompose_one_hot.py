from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape

_EXACT_AS_INT32 = (ir.DataType.BOOL, ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.UINT8)
"""Types of OneHot's indices that the GPU casts to int32."""


class DecomposeOneHot(Decomposition):
    """`OneHot(i, depth, (off, on))` -> `Where(i == [0, 1, .., depth - 1], on, off)`.

        OneHot(i [N], depth, (off, on)) [N, depth]
            ->  Where(i [N, 1] == (0 .. depth - 1), on, Where(i == (-depth .. -1), on, off))
        OneHot(ArgMax(x), depth, (off, on))  ->  Gather(table [depth, depth], ArgMax(x))

    Why: WebGPU has no kernel for OneHot.

    How: an element is `on` if the index, or the index plus the depth, equals its position. An index outside the depth
    gives a row of `off`, as in OneHot.

    - Indices that were cast to int64 only for OneHot become int32.
    - Indices of ArgMax and TopK along a fixed axis are int64 on the GPU. They select a row of a constant table.

    Limits: depth and values must be constants. Exact.
    """

    code = "decompose-one-hot"
    after = ("downgrade-opset", "typed-one-hot")

    def decomposers(self) -> Decomposers:
        return {"OneHot": _one_hot}


def _one_hot(add: RewriteContext, node: ir.Node) -> ir.Value:
    indices, depth, values = node.inputs[0], constant(node.inputs[1]), constant(node.inputs[2])
    if indices is None or indices.shape is None or depth is None or values is None:
        raise NotApplicableError("its depth or its values are computed")
    size, rank = int(depth.reshape(())), len(indices.shape)
    axis = node.attributes.get_int("axis", -1) % (rank + 1)
    off, on = (add.const(value, values.dtype) for value in values)
    narrow = _as_int32(add, indices)
    if narrow is None:
        return _gather_from_eye(add, indices, size, axis, values)
    # [N] -> [N, 1] against positions [1, depth]
    wide = add.unsqueeze(narrow, axis)
    broadcast_shape = [1] * (rank + 1)
    broadcast_shape[axis] = size
    steps = np.arange(size).reshape(broadcast_shape)
    from_start = add.op("Equal", wide, add.const(steps, np.int32))
    from_end = add.op("Equal", wide, add.const(steps - size, np.int32))
    return add.op("Where", from_start, on, add.op("Where", from_end, on, off))


def _as_int32(add: RewriteContext, indices: ir.Value) -> ir.Value | None:
    """Return indices as int32 if the GPU can cast them; None for int64 indices of unknown origin."""
    if indices.dtype == ir.DataType.INT32:
        return indices
    if indices.dtype == ir.DataType.FLOAT:
        return add.cast(indices, ir.DataType.INT32)
    producer = indices.producer()
    if producer is not None and producer.op_type == "Cast":
        source = producer.inputs[0]
        if source is not None and source.dtype in _EXACT_AS_INT32:
            return add.cast(source, ir.DataType.INT32)
    return None


def _gather_from_eye(add: RewriteContext, indices: ir.Value, size: int, axis: int, values: np.ndarray) -> ir.Value:
    producer, rank = indices.producer(), len(indices.shape or ())
    shape = None if producer is None else static_shape(producer.inputs[0])
    if producer is None or producer.op_type not in ("ArgMax", "ArgMin", "TopK") or shape is None:
        raise NotApplicableError("its indices are int64, and may exceed its depth")
    along = shape[producer.attributes.get_int("axis", -1 if producer.op_type == "TopK" else 0)]
    if along > size or size > 4096:
        raise NotApplicableError("its indices may exceed its depth, or its depth is too large for a table")
    table = np.where(np.eye(size, dtype=np.bool_), values[1], values[0]).astype(values.dtype)
    rows = add.op("Gather", add.const(table, values.dtype), indices, axis=0)
    # [N, .., depth] -> [.., depth, ..]: move the new axis to `axis`
    order = list(range(rank))
    order.insert(axis, rank)
    return rows if axis == rank else add.op("Transpose", rows, perm=order)
