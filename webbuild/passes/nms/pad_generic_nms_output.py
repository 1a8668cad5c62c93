from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.padded_output import pad_selected_outputs
from webbuild.passes.rewrite import Builder


class PadGenericNmsOutput(NmsPass[GenericNmsPattern]):
    """Keeps NonMaxSuppression and pads its selection to a fixed number of boxes.

        NonMaxSuppression(boxes [B, N, 4], scores [B, C, N]) [n, 3]
            ->  Slice(Concat(NonMaxSuppression(boxes, scores), zeros [R, 3]), :R) [R, 3]
        output [n, ...]  ->  Where(row < n, output, 0) [R, ...]

    Why: the number of selected boxes depends on the picture, so nothing after NonMaxSuppression has a fixed shape.

    How: NonMaxSuppression selects the boxes, and their order stays. Every output that had one row per box has R rows,
    as many as `static-generic-nms` gives, with zeros after the last box. Boxes after the first R are cut off. Where a
    TopK ranks the boxes, every box that may be selected has a row up to the TopK, and the best R are given.

    Exact, unless the export gives more than R boxes.
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
        # n is the first size of the selection: min(n, R), int64 [1], without a Min, which opset 11 has for floats alone
        number = add.op("Slice", add.op("Shape", chosen), zero, one, zero)
        count = add.op("Where", add.op("Less", number, most), number, most)
        # [n, 3] -> [n + P, 3] -> [P, 3]: rows of zeros after the n-th, computed from n so that none are stored
        zeros = add.op("Expand", add.op("Mul", number, zero), padded_size)
        padded = add.op("Concat", chosen, zeros, axis=0)
        selected = add.reshape(
            add.op("Slice", padded, zero, add.const([padded_rows], np.int64), zero), [padded_rows, 3]
        )
        real = add.op("Less", add.const(np.arange(padded_rows), np.int64), number)
        pad_selected_outputs(model, tail, selected, real, count, rows)
        return [self.applied(tail.where, f"what it selects is filled up to {rows} boxes")]
