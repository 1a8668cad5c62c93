"""The fixed-shape detection head, for the GPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._box_tail import BoxTail
from webbuild.passes._graph import Builder
from webbuild.passes._rows import fill_rows, regather
from webbuild.passes._status import best_rows, capacity, report_status
from webbuild.passes._suppression import suppress
from webbuild.passes._tail_pass import TailPass

ROUNDS = 16


class FixedShapeHead(TailPass[BoxTail]):
    """Replaces NonMaxSuppression and everything data-dependent around it by operators of one static shape.

    Why: the number of boxes that survive depends on the picture. With none, tensors of size 0 appear, which GPU
    kernels refuse ("zero-sized tensor(s) in inputs or outputs"); with any, NonZero and NonMaxSuppression run on
    the CPU and drag everything behind them along.

    How: the best `candidates` anchors by TopK instead of a mask; pairwise overlaps as a matrix; exact greedy
    suppression as a fixed point, unrolled; the kept rows by a second TopK; rows past the last detection zero.

    The head is exact or says that it is not. Its extra output `head_status` [2] holds whether suppression
    converged (a chain of n boxes that suppress one another needs n - 1 rounds) and how many candidates were
    above the confidence threshold. Not converged, or more candidates than the capacity: the runtime repeats the
    run on the WASM graph, which keeps NonMaxSuppression.
    """

    code = "fixed-shape-head"
    after = ("threshold-inputs",)
    target = "webgpu"
    form = BoxTail

    def rewrite(self, model: ir.Model, tail: BoxTail, options: Options) -> list[Edit]:
        """Rebuild the tail."""
        candidates = min(tail.anchors, options.candidates or capacity(tail.anchors, tail.max_detections))
        _rebuild(model, tail, candidates)
        why = (
            f"NonMaxSuppression over {tail.anchors} anchors became {ROUNDS} rounds over the best {candidates}, "
            f"with {tail.max_detections} rows out"
        )
        return [self.done(tail.where, why)]


def _rebuild(model: ir.Model, tail: BoxTail, candidates: int) -> None:
    """Put the head in the place of the tail; what is no longer read is left for `clean-up`."""
    front = Builder(model.graph, tail.mask.gathers[0], "head/candidates")
    best, index = front.node("TopK", tail.mask.score, front.const([candidates], np.int64), outputs=2, axis=0)
    regather(model, tail.mask.gathers, index)
    add = Builder(model.graph, tail.suppression, "head")
    flags = add.op("Cast", add.op("Greater", best, tail.mask.threshold), to=ir.DataType.FLOAT.value)
    valid = add.op("Reshape", flags, add.const([1, candidates], np.int64))
    boxes = add.op("Reshape", tail.boxes, add.const([candidates, 4], np.int64))
    keep, unsettled = suppress(add, boxes, valid, tail.iou, candidates=candidates, rounds=ROUNDS)
    rows = min(candidates, tail.max_detections)
    position, real = best_rows(add, keep, candidates, rows)
    regather(model, tail.kept, position)
    fill_rows(model, tail.rows, real, rows, tail.max_detections)
    end = Builder(model.graph, tail.suppression, "head/status")
    converged = end.op("Sub", end.const([1.0]), end.op("Reshape", unsettled, end.const([1], np.int64)))
    report_status(end, model, tail.mask.greater.outputs[0], converged, candidates, ROUNDS)
