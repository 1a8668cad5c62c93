"""The detection tail of rotated boxes with fixed shapes behind it, for the CPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

from webbuild.passes._base import Edit, Options
from webbuild.passes._graph import Builder
from webbuild.passes._rotated_tail import RotatedTail, free_candidates
from webbuild.passes._rows import fill_rows, regather
from webbuild.passes._tail_pass import TailPass


class PaddedRotated(TailPass[RotatedTail]):
    """Keeps the suppression of rotated boxes and makes the rows behind it fixed-shape.

    On a CPU the overlaps are computed for the candidates that there are, however many: they are taken by a TopK of
    as many as the mask lets through, and of one where that is none, which is then not kept. The indices of those
    that are left are filled up to the number of rows, and rows past the last detection are zero.
    """

    code = "padded-rotated"
    after = ("threshold-inputs",)
    target = "wasm"
    form = RotatedTail

    def rewrite(self, model: ir.Model, tail: RotatedTail, options: Options) -> list[Edit]:
        """Rebuild the tail."""
        _rebuild(model, tail)
        return [self.done(tail.where, f"its candidates are counted first, {tail.max_detections} rows out")]


def _rebuild(model: ir.Model, tail: RotatedTail) -> None:
    free_candidates(model, tail)
    front = Builder(model.graph, tail.mask.gathers[0], "rotated/candidates")
    above = front.op("Cast", tail.mask.greater.outputs[0], to=ir.DataType.INT64.value)
    count = front.op("Max", front.reduce("ReduceSum", above, 0), front.const([1], np.int64))
    if tail.mask.most is not None:
        count = front.op("Min", count, front.const([tail.mask.most], np.int64))
    best, index = front.node("TopK", tail.mask.score, count, outputs=2, axis=0)
    regather(model, tail.mask.gathers, index)
    add = Builder(model.graph, tail.nonzero, "rotated")
    kept = add.op("And", tail.spared, add.op("Greater", best, tail.mask.threshold))
    places = add.op("Reshape", add.op("NonZero", kept), add.const([-1], np.int64))
    rows = tail.max_detections
    padded = add.op("Concat", places, add.const(np.zeros(rows), np.int64), axis=0)
    first = add.op("Slice", padded, add.const([0], np.int64), add.const([rows], np.int64))
    position = add.op("Reshape", first, add.const([rows], np.int64))
    real = add.op("Less", add.const(np.arange(rows)[:, None], np.int64), add.op("Shape", places))
    regather(model, tail.kept, position)
    fill_rows(model, tail.rows, real, rows, rows)
    RemoveUnusedNodesPass()(model)  # the TopK that sorted a fixed number of candidates fails where there are fewer
