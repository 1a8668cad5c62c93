"""Builder of the NMS of rotated boxes that is appended, in the form that `rotated_pattern` recognizes."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder
from webbuild.postprocess.yolo import YoloPostprocess

_EPSILON = 1e-7
"""Part of Ultralytics' formula, which it keeps finite."""


def build_rotated_nms(add: Builder, boxes: ir.Value, score: ir.Value, spec: YoloPostprocess) -> ir.Value:
    """Return the indices of the candidates that no better one overlaps too much, best first.

    Args:
        add: adds the nodes.
        boxes: centre x y, width, height, angle of each candidate [n, 5].
        score: score of each candidate [n].
        spec: the post-processing of the detector.
    """
    order = add.node("TopK", score, add.op("Shape", score), outputs=2, axis=0)[1]
    overlaps = _probabilistic_iou(add, add.op("Gather", boxes, order, axis=0))
    better = add.op("Trilu", overlaps, add.const(1, np.int64), upper=1)
    # [n, n] above the diagonal -> number of better boxes that overlap each [n]
    hits = add.cast(add.op("Greater", better, add.const([spec.iou])), ir.DataType.FLOAT)
    spared = add.op("LessOrEqual", add.reduce("ReduceSum", hits, 0, keepdims=0), add.const(0.0))
    places = add.reshape(add.op("NonZero", spared), [-1])
    return add.op("Gather", order, places, axis=0)


def _probabilistic_iou(add: Builder, boxes: ir.Value) -> ir.Value:
    """Return the probabilistic overlaps of all pairs of boxes [n, n], with operators in Ultralytics' order.

    Each box is a normal distribution with the covariance [[a, c], [c, b]]:

        a = w^2/12 cos^2 + h^2/12 sin^2      b = w^2/12 sin^2 + h^2/12 cos^2      c = (w^2 - h^2)/12 cos sin

    With a, b, c the sums over both boxes, the Bhattacharyya distance is d = t1 + t2 + t3:

        t1 = (a dy^2 + b dx^2) / (4 (a b - c^2))
        t2 = -c dx dy / (2 (a b - c^2))
        t3 = 1/2 ln((a b - c^2) / (4 sqrt((a1 b1 - c1^2) (a2 b2 - c2^2))))

    and the overlap is 1 - sqrt(1 - exp(-d)), 1 minus the Hellinger distance. Source: `batch_probiou` of Ultralytics,
    after Llerena et al. (arXiv 2106.06072).
    """
    across = add.const([1, -1], np.int64)
    # [n, 5] -> five columns [n, 1]; a column minus its row gives all pairs [n, n]
    x, y, width, height, angle = add.split(boxes, 5, axis=1)
    cosine, sine = add.op("Cos", angle), add.op("Sin", angle)
    along, down = (_scale(add, _square(add, side), 1 / 12) for side in (width, height))
    cosine2, sine2 = _square(add, cosine), _square(add, sine)
    a = add.op("Add", add.op("Mul", along, cosine2), add.op("Mul", down, sine2))
    b = add.op("Add", add.op("Mul", along, sine2), add.op("Mul", down, cosine2))
    c = add.op("Mul", add.op("Mul", add.op("Sub", along, down), cosine), sine)
    determinant = add.op("Relu", add.op("Sub", add.op("Mul", a, b), _square(add, c)))
    joint_a, joint_b, joint_c = (add.op("Add", each, add.op("Reshape", each, across)) for each in (a, b, c))
    dx, dy = (add.op("Sub", each, add.op("Reshape", each, across)) for each in (x, y))
    joint = add.op("Sub", add.op("Mul", joint_a, joint_b), _square(add, joint_c))
    least = _add_constant(add, joint, _EPSILON)
    spread = add.op("Add", add.op("Mul", joint_a, _square(add, dy)), add.op("Mul", joint_b, _square(add, dx)))
    skew = add.op("Mul", add.op("Mul", joint_c, add.op("Neg", dx)), dy)
    # t1, t2 and t3, each [n, n]
    far = _scale(add, add.op("Div", spread, least), 0.25)
    askew = _scale(add, add.op("Div", skew, least), 0.5)
    both = add.op("Sqrt", add.op("Mul", determinant, add.op("Reshape", determinant, across)))
    ratio = _add_constant(add, add.op("Div", joint, _add_constant(add, _scale(add, both, 4), _EPSILON)), _EPSILON)
    unlike = _scale(add, add.op("Log", ratio), 0.5)
    distance = add.op("Add", add.op("Add", far, askew), unlike)
    clamped = add.op("Min", add.op("Max", distance, add.const(_EPSILON)), add.const(100.0))
    rest = _add_constant(add, add.op("Sub", add.const(1.0), add.op("Exp", add.op("Neg", clamped))), _EPSILON)
    return add.op("Sub", add.const(1.0), add.op("Sqrt", rest))


def _square(add: Builder, value: ir.Value) -> ir.Value:
    return add.op("Mul", value, value)


def _scale(add: Builder, value: ir.Value, factor: float) -> ir.Value:
    return add.op("Mul", value, add.const(factor))


def _add_constant(add: Builder, value: ir.Value, term: float) -> ir.Value:
    return add.op("Add", value, add.const(term))
