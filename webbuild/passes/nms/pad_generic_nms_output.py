from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.padded_output import pad_selected_outputs


class PadGenericNmsOutput(NmsPass[GenericNmsPattern]):
    """Keeps NonMaxSuppression and pads its selection to a fixed number of boxes.

        NonMaxSuppression(boxes [B, N, 4], scores [B, C, N]) [n, 3]
            ->  Slice(Concat(NonMaxSuppression(boxes, scores), zeros [R, 3]), :R) [R, 3]
        output [n, ...]  ->  Where(row < n, output, 0) [R, ...]

    Why: the number of selected boxes depends on the image, so nothing after NonMaxSuppression has a static shape.

    How: NonMaxSuppression and the order of its boxes stay. Every output with one row per box gets R rows, as many as
    `static-generic-nms` returns, with zeros after the last box. Boxes after the first R are dropped. If a TopK ranks
    the boxes, every box that may be selected has a row before the TopK, which returns the best R.

    Exact, unless the export returns more than R boxes.
    """

    code = "pad-generic-nms-output"
    after = ("promote-thresholds", "pad-nms-output")
    target = "wasm"
    pattern = GenericNmsPattern

    def rewrite(self, model: ir.Model, tail: GenericNmsPattern, options: PassOptions) -> list[Rewrite]:
        _, rows = tail.capacity
        padded_rows = rows if tail.ranking is None else tail.most_selected
        chosen = tail.nms.outputs[0]
        after = list(model.graph)
        position = after.index(tail.nms) + 1
        add = Builder(model.graph, after[position] if position < len(after) else None, "selection")
        zero, one = add.const([0], np.int64), add.const([1], np.int64)
        most, padded_size = add.const([rows], np.int64), add.const([padded_rows, 3], np.int64)
        # n is the first size of the selection; min(n, R), int64 [1], by Where, as Min of opset 11 takes only floats
        number = add.op("Slice", add.op("Shape", chosen), zero, one, zero)
        count = add.op("Where", add.op("Less", number, most), number, most)
        # [n, 3] -> [n + P, 3] -> [P, 3]: zero rows after the n-th, expanded at run time so that none are stored
        zeros = add.op("Expand", add.op("Mul", number, zero), padded_size)
        padded = add.op("Concat", chosen, zeros, axis=0)
        selected = add.reshape(
            add.op("Slice", padded, zero, add.const([padded_rows], np.int64), zero), [padded_rows, 3]
        )
        real = add.op("Less", add.const(np.arange(padded_rows), np.int64), number)
        pad_selected_outputs(model, tail, selected, real, count, rows)
        return [self.applied(tail.where, f"its selection is padded to {rows} boxes")]
