"""The suppression of rotated boxes that is appended, in the form that `_rotated_tail` recognises."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._graph import Builder
from webbuild.raw_head import RawHead

_TINY = 1e-7
"""Keeps Ultralytics' formula finite, and is part of it."""


def rotated_survivors(add: Builder, boxes: ir.Value, score: ir.Value, raw: RawHead) -> ir.Value:
    """Return the indices of the candidates that no better one overlaps too much, best first.

    Args:
        add: where to.
        boxes: centre x y, width, height, angle of each candidate [n, 5].
        score: theirs [n].
        raw: the head.
    """
    order = add.node("TopK", score, add.op("Shape", score), outputs=2, axis=0)[1]
    overlaps = _overlaps(add, add.op("Gather", boxes, order, axis=0))
    better = add.op("Trilu", overlaps, add.const(1, np.int64), upper=1)
    hits = add.op("Cast", add.op("Greater", better, add.const([raw.iou])), to=ir.DataType.FLOAT.value)
    spared = add.op("LessOrEqual", add.reduce("ReduceSum", hits, 0, keepdims=0), add.const(0.0))
    places = add.op("Reshape", add.op("NonZero", spared), add.const([-1], np.int64))
    return add.op("Gather", order, places, axis=0)


def _overlaps(add: Builder, boxes: ir.Value) -> ir.Value:
    """Return the probabilistic overlap of each box with each [n, n], in the order of Ultralytics' operators."""
    across = add.const([1, -1], np.int64)
    x, y, width, height, angle = add.split(boxes, 5, axis=1)
    cosine, sine = add.op("Cos", angle), add.op("Sin", angle)
    along, down = (_times(add, _square(add, side), 1 / 12) for side in (width, height))
    cosine2, sine2 = _square(add, cosine), _square(add, sine)
    a = add.op("Add", add.op("Mul", along, cosine2), add.op("Mul", down, sine2))
    b = add.op("Add", add.op("Mul", along, sine2), add.op("Mul", down, cosine2))
    c = add.op("Mul", add.op("Mul", add.op("Sub", along, down), cosine), sine)
    own = add.op("Relu", add.op("Sub", add.op("Mul", a, b), _square(add, c)))
    joint_a, joint_b, joint_c = (add.op("Add", each, add.op("Reshape", each, across)) for each in (a, b, c))
    dx, dy = (add.op("Sub", each, add.op("Reshape", each, across)) for each in (x, y))
    joint = add.op("Sub", add.op("Mul", joint_a, joint_b), _square(add, joint_c))
    least = _plus(add, joint, _TINY)
    spread = add.op("Add", add.op("Mul", joint_a, _square(add, dy)), add.op("Mul", joint_b, _square(add, dx)))
    skew = add.op("Mul", add.op("Mul", joint_c, add.op("Neg", dx)), dy)
    far = _times(add, add.op("Div", spread, least), 0.25)
    askew = _times(add, add.op("Div", skew, least), 0.5)
    both = add.op("Sqrt", add.op("Mul", own, add.op("Reshape", own, across)))
    ratio = _plus(add, add.op("Div", joint, _plus(add, _times(add, both, 4), _TINY)), _TINY)
    unlike = _times(add, add.op("Log", ratio), 0.5)
    distance = add.op("Add", add.op("Add", far, askew), unlike)
    clamped = add.op("Min", add.op("Max", distance, add.const(_TINY)), add.const(100.0))
    rest = _plus(add, add.op("Sub", add.const(1.0), add.op("Exp", add.op("Neg", clamped))), _TINY)
    return add.op("Sub", add.const(1.0), add.op("Sqrt", rest))


def _square(add: Builder, value: ir.Value) -> ir.Value:
    return add.op("Mul", value, value)


def _times(add: Builder, value: ir.Value, factor: float) -> ir.Value:
    return add.op("Mul", value, add.const(factor))


def _plus(add: Builder, value: ir.Value, term: float) -> ir.Value:
    return add.op("Add", value, add.const(term))
