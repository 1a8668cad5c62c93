from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.box_pattern import BoxNmsPattern
from webbuild.passes.nms.gathered_rows import replace_gather_index, zero_and_pad_rows
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.rewrite import replace_all_uses


class PadNmsOutput(NmsPass[BoxNmsPattern]):
    """Keeps NonMaxSuppression and makes all shapes around it static.

        Gather(boxes [A, 4], NonZero(score [A] > confidence)) -> NonMaxSuppression -> rows [m, columns]
            ->  NonMaxSuppression(boxes [1, A, 4], score [1, 1, A], R, iou, confidence) -> rows [R, columns]

    Why: on a CPU NonMaxSuppression is faster than the overlap matrix of `static-nms`.

    How: the pass removes the mask before the operator. NonMaxSuppression reads every anchor and applies the confidence
    threshold itself, which selects the same boxes. Its indices are padded to the number of rows, and rows after the
    last detection are zero.

    Limits: the values computed for a candidate must not depend on other candidates.

    Exact: ONNX Runtime's kernel compares with `score > score_threshold` too
    (`onnxruntime/core/providers/cpu/object_detection/non_max_suppression.cc`).
    """

    code = "pad-nms-output"
    after = ("promote-thresholds",)
    target = "wasm"
    pattern = BoxNmsPattern

    def rewrite(self, model: ir.Model, tail: BoxNmsPattern, options: PassOptions) -> list[Rewrite]:
        _rebuild(model, tail)
        reason = f"the mask before it is removed, {tail.max_detections} rows out"
        return [self.applied(tail.where, reason)]


def _rebuild(model: ir.Model, tail: BoxNmsPattern) -> None:
    for gather in tail.mask.gathers:
        replace_all_uses(gather.outputs[0], gather.inputs[0])
    add = Builder(model.graph, tail.nms_node, "nms")
    rows = tail.max_detections
    chosen = add.op(
        "NonMaxSuppression",
        tail.boxes,
        tail.nms_node.inputs[1],
        add.const([rows], np.int64),
        tail.iou,
        tail.mask.threshold,
    )
    # [m, 3] of batch, class, box -> box [m] -> [m + R] -> [R]
    column = add.op("Gather", chosen, add.const(2, np.int64), axis=1)
    padded = add.op("Concat", column, add.const(np.zeros(rows), np.int64), axis=0)
    first = add.op("Slice", padded, add.const([0], np.int64), add.const([rows], np.int64))
    index = add.reshape(first, [rows])
    # m, int64 [1]; row i is real where i < m: bool [R, 1]
    count = add.op("Slice", add.op("Shape", chosen), add.const([0], np.int64), add.const([1], np.int64))
    real = add.op("Less", add.const(np.arange(rows)[:, None], np.int64), count)
    replace_gather_index(model, tail.kept_gathers, index)
    zero_and_pad_rows(model, tail.rows, real, rows, tail.max_detections)
