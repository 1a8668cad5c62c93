"""ReduceLogSumExp of whole numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Options
from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant, dims

_LARGEST_TABLE = 1 << 16


class WholeLogSums(Decomposition):
    """Writes a ReduceLogSumExp of int32 as its maximum, and the logarithm of how often that stands there.

    Why: in whole numbers the exponential of anything below 0 is 0, so that the sum counts the largest numbers. WebGPU
    computes it as it would with floats and rounds at the end: now and then it is one off.

    How: the maximum is compared with every number, the results are counted, and the logarithm, cut to a whole number,
    is looked up. A sum below 0 is cut towards 0: it is one more wherever the logarithm is not 0. Exact.
    """

    code = "whole-log-sums"
    after = ("empty-tensors", "fold-constants", "lower-opset")

    def forms(self) -> Mapping[str, Form]:
        """Return how to write it."""
        return {"ReduceLogSumExp": _written}

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether it reduces int32, for the native build."""
        x = node.inputs[0]
        native = options.table is not None and options.table.target.build == "webgpu"
        return native and x is not None and x.dtype == ir.DataType.INT32 and 0 not in (dims(x) or ())


def _written(add: Draft, node: ir.Node) -> ir.Value:
    shape = dims(node.inputs[0])
    axes = None if shape is None else _axes(node, len(shape))
    if shape is None or not axes:
        raise UnfitError("its shape is not fixed, or its axes are computed, or none")
    size, keeps = prod(shape[axis] for axis in axes), node.attributes.get_int("keepdims", 1)
    if size > _LARGEST_TABLE:
        raise UnfitError("it counts too many numbers for a table")
    most = add.reduce("ReduceMax", node.inputs[0], axes)
    largest = add.op("Cast", add.op("Equal", node.inputs[0], most), to=ir.DataType.INT32.value)
    count = add.reduce("ReduceSum", largest, axes, keepdims=keeps)
    logarithms = np.log(np.maximum(np.arange(size + 1), 1))
    more, rest = (add.op("Gather", add.const(each, np.int32), count, axis=0) for each in (logarithms, logarithms > 0))
    total = add.op("Add", add.reduce("ReduceMax", node.inputs[0], axes, keepdims=keeps), more)
    zero = add.const(0, np.int32)
    return add.op("Add", total, add.op("Where", add.op("Less", total, zero), rest, zero))


def _axes(node: ir.Node, rank: int) -> list[int] | None:
    given = node.inputs[1] if len(node.inputs) > 1 else None
    stored = constant(given)
    if given is not None and stored is None:
        return None
    named = node.attributes.get_ints("axes", []) if stored is None else stored.tolist()
    if not named:
        return None if node.attributes.get_int("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(axis % rank for axis in named)
