"""Reduction overflow: a bound of the largest partial sum, even if the terms cancel in the end."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import input_value, static_shape
from webbuild.precision.activation_ranges import ActivationRange, ActivationRanges
from webbuild.precision.constant_overflow import float32_array
from webbuild.precision.op_classes import MATMUL_OPS

_SQUARING_OPS = {"ReduceSumSquare", "ReduceL2", "InstanceNormalization", "GroupNormalization", "LpNormalization"}
"""Operators that sum squares."""


def partial_sum_bound(node: ir.Node, ranges: ActivationRanges) -> float | None:
    """Return an upper bound of a node's partial sums, None if it sums nothing or sizes are unknown.

    With weights, it is the largest input times the largest sum of weight magnitudes. Otherwise it is the largest input,
    or the product of both largest inputs, times the number of terms.
    """
    value = node.inputs[0] if node.inputs else None
    if value is None or (known := _range(value, ranges)) is None:
        return None
    if node.op_type in MATMUL_OPS:
        return _product(node, known, ranges)
    terms = _term_count(node)
    if terms is None:
        return None
    return terms * (known.largest_magnitude**2 if node.op_type in _SQUARING_OPS else known.largest_magnitude)


def _product(node: ir.Node, known: ActivationRange, ranges: ActivationRanges) -> float | None:
    other = input_value(node, 1)
    if other is None:
        return None
    weights = float32_array(other)
    if weights is not None and weights.size:
        return known.largest_magnitude * _largest_weight_sum(node, weights)
    second, sizes = _range(other, ranges), static_shape(node.inputs[0])
    if second is None or not sizes or node.op_type not in ("MatMul", "Gemm"):
        return None
    return known.largest_magnitude * second.largest_magnitude * sizes[-1]


def _largest_weight_sum(node: ir.Node, weights: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    """Return the largest sum of weight magnitudes of an output element."""
    sizes = np.abs(weights)
    if node.op_type == "Conv":  # [out, in / groups, *kernel]
        return float(sizes.reshape(len(sizes), -1).sum(1).max())
    if node.op_type == "ConvTranspose":  # [in, out / groups, *kernel]
        return float(sizes.sum(0).max() if sizes.ndim < 3 else sizes.sum(0).reshape(sizes.shape[1], -1).sum(1).max())
    if node.op_type == "Gemm" and bool(node.attributes.get_int("transB", 0)):  # [out, in]
        return float(sizes.sum(-1).max())
    return float(sizes.sum(-2).max()) if sizes.ndim > 1 else float(sizes.sum())  # [..., in, out]


def _term_count(node: ir.Node) -> int | None:
    """Return the number of input elements summed for each output element."""
    before, after = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    if before is None or after is None:
        return None
    if node.op_type.startswith("Reduce") or node.op_type == "GlobalAveragePool":
        return max(1, prod(before) // max(1, prod(after))) if node.op_type not in ("ReduceMax", "ReduceMin") else None
    if node.op_type == "AveragePool":
        return prod(node.attributes.get_ints("kernel_shape", []))
    if node.op_type == "InstanceNormalization":
        return prod(before[2:])
    if node.op_type in ("GroupNormalization", "LpNormalization"):
        return prod(before[1:])
    return None


def _range(value: ir.Value, ranges: ActivationRanges) -> ActivationRange | None:
    if (array := float32_array(value)) is not None and array.size:
        largest = float(np.abs(array).max())
        return ActivationRange(-largest, largest)
    return ranges.get(value.name or "")
