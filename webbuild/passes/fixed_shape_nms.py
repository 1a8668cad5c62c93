"""NonMaxSuppression kept, with fixed shapes behind it, for the CPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._box_tail import BoxTail
from webbuild.passes._graph import Builder, replace
from webbuild.passes._rows import fill_rows, regather
from webbuild.passes._tail_pass import TailPass


class FixedShapeNms(TailPass[BoxTail]):
    """Keeps NonMaxSuppression and makes everything around it fixed-shape.

    On a CPU the operator is faster than the overlap matrix of `fixed-shape-head`. The mask in front of it goes:
    it gets every anchor and applies the confidence threshold itself, which chooses the same boxes. The indices
    that it returns are filled up to the number of rows, and rows past the last detection are zero.
    """

    code = "fixed-shape-nms"
    after = ("threshold-inputs",)
    target = "wasm"
    form = BoxTail

    def rewrite(self, model: ir.Model, tail: BoxTail, options: Options) -> list[Edit]:
        """Rebuild the tail."""
        _rebuild(model, tail)
        why = f"the mask in front of it is gone, {tail.max_detections} rows out"
        return [self.done(tail.where, why)]


def _rebuild(model: ir.Model, tail: BoxTail) -> None:
    for gather in tail.mask.gathers:
        everything = gather.inputs[0]
        assert everything is not None
        replace(gather.outputs[0], everything)
    add = Builder(model.graph, tail.suppression, "nms")
    rows = tail.max_detections
    chosen = add.op(
        "NonMaxSuppression",
        tail.boxes,
        tail.suppression.inputs[1],
        add.const([rows], np.int64),
        tail.iou,
        tail.mask.threshold,
    )
    column = add.op("Gather", chosen, add.const(2, np.int64), axis=1)
    padded = add.op("Concat", column, add.const(np.zeros(rows), np.int64), axis=0)
    first = add.op("Slice", padded, add.const([0], np.int64), add.const([rows], np.int64))
    index = add.op("Reshape", first, add.const([rows], np.int64))
    count = add.op("Slice", add.op("Shape", chosen), add.const([0], np.int64), add.const([1], np.int64))
    real = add.op("Less", add.const(np.arange(rows)[:, None], np.int64), count)
    regather(model, tail.kept, index)
    fill_rows(model, tail.rows, real, rows, tail.max_detections)
