"""Determinants, unit matrices and grids of an affine map."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, permutations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import constant, dims

_LARGEST_EYE = 1 << 20
"""Elements of a unit matrix that is stored."""


class SimplerMatrices(Decomposition):
    """Writes Det of small matrices, EyeLike and AffineGrid with operators that have GPU kernels.

    Why: none of the three has one.

    How: a determinant of up to 4 rows is the sum of products of its minors. EyeLike of a fixed shape is a constant. A
    grid is the product of the map with the constant grid of the whole picture. Right to 1e-5 of the largest magnitude;
    unit matrices are exact.
    """

    code = "simpler-matrices"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {"Det": _det, "EyeLike": _eye, "AffineGrid": _grid}


def _det(add: Draft, node: ir.Node) -> ir.Value:
    shape = dims(node.inputs[0])
    if shape is None or not 1 <= shape[-1] <= 4:
        raise UnfitError("it has more than 4 rows, or its shape is not fixed")
    size, batch = shape[-1], shape[:-2]
    flat = add.op("Reshape", node.inputs[0], add.const([*batch, size * size], np.int64))
    terms = _minors(size)
    total: ir.Value | None = None
    for places in np.moveaxis(np.array([places for places, _ in terms]), 1, 0):
        factor = add.op("Gather", flat, add.const(places, np.int64), axis=len(batch))
        total = factor if total is None else add.op("Mul", total, factor)
    signed = add.op("Mul", total, add.like(flat, [sign for _, sign in terms]))
    return add.reduce("ReduceSum", signed, len(batch), keepdims=0)


def _minors(size: int) -> list[tuple[list[int], int]]:
    """Return the places that each term multiplies, and its sign: Leibniz' formula."""
    found = []
    for columns in permutations(range(size)):
        swaps = sum(one > other for one, other in combinations(columns, 2))
        found.append(([row * size + column for row, column in enumerate(columns)], 1 - 2 * (swaps % 2)))
    return found


def _eye(add: Draft, node: ir.Node) -> ir.Value:
    shape, x, kind = dims(node.inputs[0]), node.inputs[0], node.outputs[0].dtype
    if shape is None or x is None or kind not in (ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.UINT32):
        raise UnfitError("its shape is not fixed, or its type is none of the GPU's")
    if len(shape) != 2 or shape[0] * shape[1] > _LARGEST_EYE:
        raise UnfitError("it is too large to be stored")
    return add.const(np.eye(shape[0], shape[1], k=node.attributes.get_int("k", 0)), kind.numpy())


def _grid(add: Draft, node: ir.Node) -> ir.Value:
    size, corners = constant(node.inputs[1]), bool(node.attributes.get_int("align_corners", 0))
    if size is None or node.inputs[0] is None or node.inputs[0].dtype != ir.DataType.FLOAT:
        raise UnfitError("its size is computed, or it is not float32")
    batch, _, *room = (int(each) for each in size)
    axes = [_along(each, corners) for each in room]
    places = np.meshgrid(*axes, indexing="ij")[::-1]
    whole = np.stack([*places, np.ones(room)], -1).reshape(-1, len(room) + 1)
    turned = add.op("Transpose", node.inputs[0], perm=[0, 2, 1])
    rows = add.op("MatMul", add.like(node.inputs[0], whole), turned)
    return add.op("Reshape", rows, add.const([batch, *room, len(room)], np.int64))


def _along(size: int, corners: bool) -> NDArray[np.float64]:
    """Return where the cells of an axis lie between -1 and 1: from corner to corner, or each in its middle."""
    if corners:
        return np.linspace(1, -1, size)[::-1]  # of one cell ONNX Runtime takes the end
    return (np.arange(size) * 2 + 1) / size - 1
