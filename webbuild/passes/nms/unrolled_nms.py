"""Greedy non-maximum suppression with static shapes and without a Loop."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder


def add_unrolled_nms(
    add: Builder,
    boxes: ir.Value,
    valid: ir.Value,
    iou: ir.Value,
    *,
    candidates: int,
    rounds: int,
    alike: ir.Value | None = None,
) -> tuple[ir.Value, ir.Value]:
    """Add exact greedy NMS of `boxes` [candidates, 4], best first; `valid` [1, candidates] is 0 or 1.

    Greedy NMS is the only fixed point of keep_j = valid_j and no i < j with keep_i and IoU_ij > iou. By induction,
    after n rounds all boxes are final that depend on chains of at most n boxes. The arithmetic is that of ONNX
    Runtime's NonMaxSuppression, operation by operation
    (`onnxruntime/core/providers/cpu/object_detection/non_max_suppression.cc`). With bool `alike`
    [candidates, candidates], only pairs for which it is true suppress one another.

    Returns:
        keep [1, candidates] as 0 or 1, and 1 - converged [1, 1], which is 0 if and only if the last round changed
        nothing.
    """
    overlaps = _overlaps(add, boxes, iou, candidates)
    if alike is not None:
        overlaps = add.op("And", overlaps, alike)
    overlaps = add.cast(overlaps, ir.DataType.FLOAT)
    # x[n + 1] = max(valid - x[n] @ overlaps, 0): [1, K] @ [K, K] -> [1, K]
    keep = before = valid
    for _ in range(rounds):
        before = keep
        keep = add.op("Relu", add.op("Sub", valid, add.op("MatMul", keep, overlaps)))
    change = add.op("Abs", add.op("Sub", keep, before))
    return keep, add.reduce("ReduceMax", change, 1)


def _overlaps(add: Builder, boxes: ir.Value, iou: ir.Value, candidates: int) -> ir.Value:
    """Return bool [candidates, candidates]: whether box i, if kept, suppresses the worse box j."""
    # [K, 4] -> four columns [K, 1]; corners may come in any order, as in ONNX Runtime
    sides = add.split(boxes, 4, axis=1)
    first_x, first_y, second_x, second_y = sides
    bounds = [
        (add.op("Min", first, second), add.op("Max", first, second))
        for first, second in ((first_x, second_x), (first_y, second_y))
    ]
    flat = add.const([1, candidates], np.int64)
    (width, x), (height, y) = (_intersections(add, low, high, flat) for low, high in bounds)
    # IoU [K, K] = intersection / (area_i + area_j - intersection)
    area = add.op("Mul", width, height)
    intersection = add.op("Mul", x, y)
    union = add.op("Sub", add.op("Add", area, add.op("Reshape", area, flat)), intersection)
    ratio = add.op("Div", intersection, add.op("Max", union, add.const(1e-30)))
    rank = np.arange(candidates)
    # i is better than j if it comes first: the upper triangle
    better = add.op("Less", add.const(rank[:, None]), add.const(rank[None, :]))
    return add.op("And", add.op("Greater", ratio, iou), better)


def _intersections(add: Builder, low: ir.Value, high: ir.Value, flat: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the length of each box [n, 1] and of each pair's intersection [n, n] along an axis."""
    begin = add.op("Max", low, add.op("Reshape", low, flat))
    end = add.op("Min", high, add.op("Reshape", high, flat))
    return add.op("Sub", high, low), add.op("Relu", add.op("Sub", end, begin))
