from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.box_pattern import BoxNmsPattern
from webbuild.passes.nms.gathered_rows import replace_gather_index, zero_and_pad_rows
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.status_output import add_status_output, candidate_capacity, top_kept_rows
from webbuild.passes.nms.unrolled_nms import add_unrolled_nms

MAX_ROUNDS = 16


class StaticNms(NmsPass[BoxNmsPattern]):
    """Replaces NonMaxSuppression and the data-dependent shapes around it by operators with static shapes.

        rows [m, columns] of NonMaxSuppression(Gather(boxes [A, 4], NonZero(score [A] > confidence)))
            ->  TopK(score [A], K) -> IoU [K, K] -> 16 rounds -> TopK(keep, R) -> rows [R, columns]
        graph outputs  ->  graph outputs, head_status [2] = (converged, number above the threshold)

    Why: the number of kept boxes depends on the image. With none, there are tensors of size 0, which GPU kernels reject
    ("zero-sized tensor(s) in inputs or outputs"). Even with some, NonZero and NonMaxSuppression run on the CPU, and so
    does everything after them.

    How: static shapes throughout:

    - TopK selects the best `candidates` anchors, instead of a mask.
    - The pairwise overlaps form a matrix.
    - Greedy NMS is an unrolled fixed-point iteration.
    - A second TopK selects the kept rows. Rows after the last detection are zero.

    The result is exact, or reported as not exact. The extra output `head_status` [2] is whether NMS converged (a chain
    of n boxes that suppress one another needs n - 1 rounds), and the number of candidates above the confidence
    threshold. If it did not converge, or there were more than `candidates`, the runtime repeats the run on the WASM
    graph, which keeps NonMaxSuppression.

    Limits: the values of a candidate must not depend on other candidates. If the offset between classes is the largest
    coordinate of all candidates, as in torchvision, `masked-suppression` rewrites the graph instead.

    Source: the arithmetic of `onnxruntime/core/providers/cpu/object_detection/non_max_suppression.cc`; its greedy
    algorithm is the fixed point, see `unrolled_nms.py`.
    """

    code = "static-nms"
    after = ("promote-thresholds", "runtime-nms")
    target = "webgpu"
    pattern = BoxNmsPattern

    def rewrite(self, model: ir.Model, tail: BoxNmsPattern, options: PassOptions) -> list[Rewrite]:
        candidates = candidate_capacity(tail.anchors, tail.max_detections)
        _rebuild(model, tail, candidates)
        reason = (
            f"NonMaxSuppression over {tail.anchors} anchors became {MAX_ROUNDS} rounds over the best {candidates}, "
            f"with {tail.max_detections} rows out"
        )
        return [self.applied(tail.where, reason)]


def _rebuild(model: ir.Model, tail: BoxNmsPattern, candidates: int) -> None:
    """Replace the NMS; `canonicalize` removes the unused nodes."""
    front = Builder(model.graph, tail.mask.gathers[0], "head/candidates")
    # score [A] -> best [K], index [K]
    best, index = front.node("TopK", tail.mask.score, front.const([candidates], np.int64), outputs=2, axis=0)
    replace_gather_index(model, tail.mask.gathers, index)
    add = Builder(model.graph, tail.nms_node, "head")
    flags = add.cast(add.op("Greater", best, tail.mask.threshold), ir.DataType.FLOAT)
    # bool [K] -> float32 [1, K], the left side of a product
    valid = add.reshape(flags, [1, candidates])
    boxes = add.reshape(tail.boxes, [candidates, 4])
    keep, unsettled = add_unrolled_nms(add, boxes, valid, tail.iou, candidates=candidates, rounds=MAX_ROUNDS)
    rows = min(candidates, tail.max_detections)
    # keep [1, K] -> position [R], real [R, 1]
    position, real = top_kept_rows(add, keep, candidates, rows)
    replace_gather_index(model, tail.kept_gathers, position)
    zero_and_pad_rows(model, tail.rows, real, rows, tail.max_detections)
    end = Builder(model.graph, tail.nms_node, "head/status")
    converged = end.op("Sub", end.const([1.0]), end.reshape(unsettled, [1]))
    add_status_output(end, model, tail.mask.greater.outputs[0], converged, candidates, MAX_ROUNDS)
