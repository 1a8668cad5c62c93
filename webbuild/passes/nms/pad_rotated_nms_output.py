from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.gathered_rows import replace_gather_index, zero_and_pad_rows
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.rotated_pattern import RotatedNmsPattern, allow_any_candidate_count


class PadRotatedNmsOutput(NmsPass[RotatedNmsPattern]):
    """Keeps the NMS of rotated boxes and makes the shapes of the rows after it static.

        candidates [n] = NonZero(score [A] > confidence)
            ->  TopK(score [A], max(n, 1))
        rows [m, columns]  ->  Where(row < m, rows, 0) [R, columns]

    Why: on a CPU it is faster to compute the overlaps of the actual candidates only, however many there are.

    How: a TopK selects as many candidates as the mask does. If the mask selects none, it selects one, which is then not
    kept. The indices of the kept boxes are padded to the number of rows, and rows after the last detection are zero.

    Exact.
    """

    code = "pad-rotated-nms-output"
    after = ("promote-thresholds",)
    target = "wasm"
    pattern = RotatedNmsPattern

    def rewrite(self, model: ir.Model, tail: RotatedNmsPattern, options: PassOptions) -> list[Rewrite]:
        _rebuild(model, tail)
        return [self.applied(tail.where, f"its candidates are counted first, {tail.max_detections} rows out")]


def _rebuild(model: ir.Model, tail: RotatedNmsPattern) -> None:
    allow_any_candidate_count(model, tail)
    front = Builder(model.graph, tail.mask.gathers[0], "rotated/candidates")
    # bool [A] -> n = max(1, sum) as int64 [1]
    above = front.cast(tail.mask.greater.outputs[0], ir.DataType.INT64)
    count = front.op("Max", front.reduce("ReduceSum", above, 0), front.const([1], np.int64))
    if tail.mask.max_candidates is not None:
        count = front.op("Min", count, front.const([tail.mask.max_candidates], np.int64))
    best, index = front.node("TopK", tail.mask.score, count, outputs=2, axis=0)
    replace_gather_index(model, tail.mask.gathers, index)
    add = Builder(model.graph, tail.nonzero, "rotated")
    # bool [n]: no better candidate overlaps it, and it is above the threshold
    keep_mask = add.op("And", tail.keep_mask, add.op("Greater", best, tail.mask.threshold))
    places = add.reshape(add.op("NonZero", keep_mask), [-1])
    rows = tail.max_detections
    # [m] -> [m + R] -> [R]
    padded = add.op("Concat", places, add.const(np.zeros(rows), np.int64), axis=0)
    first = add.op("Slice", padded, add.const([0], np.int64), add.const([rows], np.int64))
    position = add.reshape(first, [rows])
    real = add.op("Less", add.const(np.arange(rows)[:, None], np.int64), add.op("Shape", places))
    replace_gather_index(model, tail.kept_gathers, position)
    zero_and_pad_rows(model, tail.rows, real, rows, rows)
    RemoveUnusedNodesPass()(model)  # the original TopK of a fixed K fails if there are fewer candidates
