from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, permutations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape

_LARGEST_EYE = 1 << 20
"""Elements of a unit matrix that is stored."""


class DecomposeMatrices(Decomposition):
    """Writes Det of small matrices, EyeLike and AffineGrid with operators that have GPU kernels.

        Det(x [..., n, n])                        ->  sum over n! permutations of sign * product of n elements  [...]
        EyeLike(x [N, M])                         ->  constant [N, M]
        AffineGrid(theta [N, 2, 3], (N, C, H, W)) ->  Reshape(base [H W, 3] @ theta^T [N, 3, 2], [N, H, W, 2])

    Why: none of the three has one.

    How: a determinant of up to 4 rows is the sum of products of its minors. EyeLike of a fixed shape is a constant. A
    grid is the product of the map with the constant grid of the whole picture. Right to 1e-5 of the largest magnitude;
    unit matrices are exact.

    Source: the Leibniz formula; ONNX's operator text of AffineGrid-20.
    """

    code = "decompose-matrices"
    tolerance = 1e-5

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"Det": _det, "EyeLike": _eye, "AffineGrid": _affine_grid}


def _det(add: RewriteContext, node: ir.Node) -> ir.Value:
    shape = static_shape(node.inputs[0])
    if shape is None or not 1 <= shape[-1] <= 4:
        raise NotApplicableError("it has more than 4 rows, or its shape is not fixed")
    size, batch = shape[-1], shape[:-2]
    # [..., n, n] -> [..., n n]; factor k of all n! terms at once: [..., n!]
    flat = add.op("Reshape", node.inputs[0], add.const([*batch, size * size], np.int64))
    terms = _leibniz_terms(size)
    total: ir.Value | None = None
    for places in np.moveaxis(np.array([places for places, _ in terms]), 1, 0):
        factor = add.op("Gather", flat, add.const(places, np.int64), axis=len(batch))
        total = factor if total is None else add.op("Mul", total, factor)
    signed = add.op("Mul", total, add.like(flat, [sign for _, sign in terms]))
    return add.reduce("ReduceSum", signed, len(batch), keepdims=0)


def _leibniz_terms(size: int) -> list[tuple[list[int], int]]:
    """Return the places that each term multiplies, and its sign: Leibniz' formula."""
    found = []
    for columns in permutations(range(size)):
        swaps = sum(one > other for one, other in combinations(columns, 2))
        found.append(([row * size + column for row, column in enumerate(columns)], 1 - 2 * (swaps % 2)))
    return found


def _eye(add: RewriteContext, node: ir.Node) -> ir.Value:
    shape, x, kind = static_shape(node.inputs[0]), node.inputs[0], node.outputs[0].dtype
    if shape is None or x is None or kind not in (ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.UINT32):
        raise NotApplicableError("its shape is not fixed, or its type is none of the GPU's")
    if len(shape) != 2 or shape[0] * shape[1] > _LARGEST_EYE:
        raise NotApplicableError("it is too large to be stored")
    return add.const(np.eye(shape[0], shape[1], k=node.attributes.get_int("k", 0)), kind.numpy())


def _affine_grid(add: RewriteContext, node: ir.Node) -> ir.Value:
    size, corners = constant(node.inputs[1]), bool(node.attributes.get_int("align_corners", 0))
    if size is None or node.inputs[0] is None or node.inputs[0].dtype != ir.DataType.FLOAT:
        raise NotApplicableError("its size is computed, or it is not float32")
    batch, _, *spatial = (int(each) for each in size)
    axes = [_axis_coordinates(each, corners) for each in spatial]
    places = np.meshgrid(*axes, indexing="ij")[::-1]
    # homogeneous coordinates (x, y, 1) of every cell: [H W, 3]
    whole = np.stack([*places, np.ones(spatial)], -1).reshape(-1, len(spatial) + 1)
    turned = add.op("Transpose", node.inputs[0], perm=[0, 2, 1])
    rows = add.op("MatMul", add.like(node.inputs[0], whole), turned)
    return add.op("Reshape", rows, add.const([batch, *spatial, len(spatial)], np.int64))


def _axis_coordinates(size: int, corners: bool) -> NDArray[np.float64]:
    """Return where the cells of an axis lie between -1 and 1: from corner to corner, or each in its middle."""
    if corners:
        return np.linspace(1, -1, size)[::-1]  # of one cell ONNX Runtime takes the end
    return (np.arange(size) * 2 + 1) / size - 1
