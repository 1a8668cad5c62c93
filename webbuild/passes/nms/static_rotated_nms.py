from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.gathered_rows import replace_gather_index, zero_and_pad_rows
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.rotated_pattern import RotatedNmsPattern, allow_any_candidate_count
from webbuild.passes.nms.status_output import add_status_output, candidate_capacity, top_kept_rows
from webbuild.passes.rewrite import constant, find_nodes, replace_all_uses


class StaticRotatedNms(NmsPass[RotatedNmsPattern]):
    """Makes the shapes of the NMS of rotated boxes static, with the same arithmetic.

        candidates [n] = NonZero(score [A] > confidence)  ->  TopK(score [A], K)
        NonZero(sum_i(Trilu(IoU) > iou) <= 0) [m]         ->  TopK(keep [K], R)
        rows [m, columns]                                 ->  rows [R, columns]

    Why: Ultralytics suppresses rotated boxes in one step: a candidate is suppressed if any better one overlaps it by
    more than the threshold, even a suppressed one. The overlap is that of two normal distributions. NonZero selects the
    rest, so the output size depends on the image.

    How: the arithmetic of the export, with static shapes:

    - TopK selects the best `candidates` anchors, instead of a mask, and also sorts them.
    - The exported operators compute the overlaps, with squares as products.
    - A second TopK selects the kept rows. Rows after the last detection are zero.

    There is no iteration. The extra output `head_status` [2] is 1 and the number of candidates above the confidence
    threshold. If there were more than `candidates`, the runtime repeats the run on the WASM graph, which has no limit.

    Source: `fast_nms` and `batch_probiou` of Ultralytics; Llerena et al., Gaussian Bounding Boxes and Probabilistic
    Intersection-over-Union (arXiv 2106.06072).
    """

    code = "static-rotated-nms"
    after = ("promote-thresholds", "runtime-nms")
    target = "webgpu"
    pattern = RotatedNmsPattern

    def rewrite(self, model: ir.Model, tail: RotatedNmsPattern, options: PassOptions) -> list[Rewrite]:
        candidates = candidate_capacity(tail.anchors, tail.max_detections)
        if tail.mask.max_candidates is not None:
            candidates = min(candidates, tail.mask.max_candidates)
        _rebuild(model, tail, candidates)
        reason = (
            f"the overlaps of all candidates among {tail.anchors} anchors became those of the best {candidates}, "
            f"with {tail.max_detections} rows out"
        )
        return [self.applied(tail.where, reason)]


def _rebuild(model: ir.Model, tail: RotatedNmsPattern, candidates: int) -> None:
    """Replace the NMS; `canonicalize` removes the unused nodes."""
    allow_any_candidate_count(model, tail)
    front = Builder(model.graph, tail.mask.gathers[0], "head/candidates")
    best, index = front.node("TopK", tail.mask.score, front.const([candidates], np.int64), outputs=2, axis=0)
    replace_gather_index(model, tail.mask.gathers, index)
    _square_by_multiplication(model, tail)
    add = Builder(model.graph, tail.nonzero, "head")
    valid = add.cast(add.op("Greater", best, tail.mask.threshold), ir.DataType.FLOAT)
    # overlapping [K, K] -> hits [K]: number of better candidates that overlap each
    hits = add.reduce("ReduceSum", add.cast(tail.overlapping, ir.DataType.FLOAT), 0, keepdims=0)
    # keep = max(valid - hits, 0): [K] -> [1, K]
    keep = add.reshape(add.op("Relu", add.op("Sub", valid, hits)), [1, candidates])
    rows = min(candidates, tail.max_detections)
    position, real = top_kept_rows(add, keep, candidates, rows)
    replace_gather_index(model, tail.kept_gathers, position)
    zero_and_pad_rows(model, tail.rows, real, rows, tail.max_detections)
    end = Builder(model.graph, tail.nonzero, "head/status")
    add_status_output(end, model, tail.mask.greater.outputs[0], end.const([1.0]), candidates, 1)


def _square_by_multiplication(model: ir.Model, tail: RotatedNmsPattern) -> None:
    """Square by a product, as the CPU does: a GPU computes powers with logarithms, which is less exact."""
    for node in find_nodes(model, "Pow"):
        exponent = constant(node.inputs[1])
        if node in tail.box_nodes and exponent is not None and (exponent == 2).all() and exponent.size == 1:
            add = Builder(model.graph, node, f"{node.name or 'Pow'}/square")
            replace_all_uses(node.outputs[0], add.op("Mul", node.inputs[0], node.inputs[0]))
