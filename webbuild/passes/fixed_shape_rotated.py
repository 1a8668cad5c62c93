"""The fixed-shape detection head for rotated boxes, for the GPU."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._graph import Builder, constant, nodes_of, replace
from webbuild.passes._rotated_tail import RotatedTail, free_candidates
from webbuild.passes._rows import fill_rows, regather
from webbuild.passes._status import best_rows, capacity, report_status
from webbuild.passes._tail_pass import TailPass


class FixedShapeRotated(TailPass[RotatedTail]):
    """Gives the detection tail of rotated boxes one static shape, and keeps its arithmetic.

    Ultralytics suppresses rotated boxes in one step: a candidate goes if any better one overlaps it by more than
    the threshold, even one that goes itself. The overlap is that of two normal distributions. NonZero, whose
    result depends on the picture, chooses what is left.

    How: the best `candidates` anchors by TopK instead of a mask, which also sorts them; the exported operators for
    their overlaps, with squares as products; the kept rows by a second TopK; rows past the last detection zero.

    Nothing has to converge. The extra output `head_status` [2] holds 1 and how many candidates were above the
    confidence threshold: with more than the capacity the runtime repeats the run on the WASM graph, which takes
    them all.
    """

    code = "fixed-shape-rotated"
    after = ("threshold-inputs",)
    target = "webgpu"
    form = RotatedTail

    def rewrite(self, model: ir.Model, tail: RotatedTail, options: Options) -> list[Edit]:
        """Rebuild the tail."""
        candidates = min(tail.anchors, options.candidates or capacity(tail.anchors, tail.max_detections))
        if tail.mask.most is not None:
            candidates = min(candidates, tail.mask.most)
        _rebuild(model, tail, candidates)
        why = (
            f"the overlaps of all candidates among {tail.anchors} anchors became those of the best {candidates}, "
            f"with {tail.max_detections} rows out"
        )
        return [self.done(tail.where, why)]


def _rebuild(model: ir.Model, tail: RotatedTail, candidates: int) -> None:
    """Put the head in the place of the tail; what is no longer read is left for `clean-up`."""
    free_candidates(model, tail)
    front = Builder(model.graph, tail.mask.gathers[0], "head/candidates")
    best, index = front.node("TopK", tail.mask.score, front.const([candidates], np.int64), outputs=2, axis=0)
    regather(model, tail.mask.gathers, index)
    _square_by_products(model, tail)
    add = Builder(model.graph, tail.nonzero, "head")
    valid = add.op("Cast", add.op("Greater", best, tail.mask.threshold), to=ir.DataType.FLOAT.value)
    hits = add.reduce("ReduceSum", add.op("Cast", tail.hits, to=ir.DataType.FLOAT.value), 0, keepdims=0)
    keep = add.op("Reshape", add.op("Relu", add.op("Sub", valid, hits)), add.const([1, candidates], np.int64))
    rows = min(candidates, tail.max_detections)
    position, real = best_rows(add, keep, candidates, rows)
    regather(model, tail.kept, position)
    fill_rows(model, tail.rows, real, rows, tail.max_detections)
    end = Builder(model.graph, tail.nonzero, "head/status")
    report_status(end, model, tail.mask.greater.outputs[0], end.const([1.0]), candidates, 1)


def _square_by_products(model: ir.Model, tail: RotatedTail) -> None:
    """Square by a product, as the CPU does it: a GPU's power goes through logarithms and is less exact."""
    for node in nodes_of(model, "Pow"):
        exponent = constant(node.inputs[1])
        if node in tail.between and exponent is not None and (exponent == 2).all() and exponent.size == 1:
            add = Builder(model.graph, node, f"{node.name or 'Pow'}/square")
            replace(node.outputs[0], add.op("Mul", node.inputs[0], node.inputs[0]))
