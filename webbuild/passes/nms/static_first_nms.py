from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.generic_pattern import MAX_CANDIDATES
from webbuild.passes.nms.selected_rows import listing_gather
from webbuild.passes.nms.static_generic_nms import MAX_ROUNDS, above_threshold, add_corners
from webbuild.passes.nms.status_output import add_to_status, status_node, top_kept_rows
from webbuild.passes.nms.unrolled_nms import add_unrolled_nms
from webbuild.passes.rewrite import constant, find_nodes, input_value, replace_all_uses, static_shape


class StaticFirstNms(Pass):
    """Replaces the NMS of a first detection stage (RPN) by operators with static shapes.

        Gather(1.0 .. N, NonMaxSuppression(boxes [1, N, 4], scores [1, 1, N], ..., R)) [n, 3]
            ->  TopK(scores [N], N) -> IoU [N, N] -> 16 rounds -> TopK(R) -> numbers [R, 3], 0 is padding

    Why: after `padded-selection` and `static-generic-nms`, the first NMS of an R-CNN is the last node for which the GPU
    waits for the CPU.

    How: exact greedy NMS of all N boxes as an unrolled fixed-point iteration, as in `static-nms`. The output
    `head_status` of the second NMS also reports whether the first converged. If not, the runtime repeats the run on the
    WASM graph.

    Limits: up to 1,024 boxes. With more, NonMaxSuppression on the CPU is faster. Exact if `head_status` says so.
    """

    code = "static-first-nms"
    after = ("static-generic-nms",)
    target = "webgpu"
    scope = "main graph"
    rewrites_nms = True

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each NonMaxSuppression that `padded-selection` padded to a fixed number of rows."""
        rewrites = []
        for nms in find_nodes(model, "NonMaxSuppression"):
            gather, scores = listing_gather(nms), static_shape(nms.inputs[1])
            most = constant(input_value(nms, 2))
            if gather is None or scores is None or most is None:
                continue
            if scores[2] > MAX_CANDIDATES:
                rewrites.append(self.skipped(nms, f"it has {scores[2]} boxes, {MAX_CANDIDATES} at most fit"))
                continue
            if (status := status_node(model)) is None:
                rewrites.append(self.skipped(nms, "the NMS after it stays on the CPU"))
                continue
            numbers, unsettled = _selected(model, nms, scores[2], int(most.item()))
            add_to_status(model, status, unsettled)
            replace_all_uses(gather.outputs[0], numbers)
            model.graph.remove([gather, nms], safe=True)
            model.graph.sort()
            rewrites.append(self.applied(nms, f"became {MAX_ROUNDS} rounds over its {scores[2]} boxes"))
        return rewrites


def _selected(model: ir.Model, nms: ir.Node, boxes: int, rows: int) -> tuple[ir.Value, ir.Value]:
    """Add the 1-based indices of the kept boxes [R, 3], padded with 0, and whether the last round changed any."""
    add = Builder(model.graph, nms, f"{nms.name or 'NonMaxSuppression'}/first")
    flat = add.reshape(nms.inputs[1], [boxes])
    best, index = add.node("TopK", flat, add.const([boxes], np.int64), outputs=2, axis=0)
    valid = add.reshape(add.cast(above_threshold(add, nms, best), ir.DataType.FLOAT), [1, boxes])
    corners = add_corners(add, nms, index, boxes)
    iou = input_value(nms, 3) or add.const([0.0])
    keep, unsettled = add_unrolled_nms(add, corners, valid, iou, candidates=boxes, rounds=MAX_ROUNDS)
    position, real = top_kept_rows(add, keep, boxes, rows)
    # float32 [N] -> [R, 1], padded with 0 -> [R, 3]
    number = add.op("Gather", add.op("Gather", add.const(np.arange(1, boxes + 1)), index, axis=0), position, axis=0)
    shown = add.op("Mul", add.reshape(number, [rows, 1]), add.cast(real, ir.DataType.FLOAT))
    numbers = add.op("Mul", shown, add.const(np.ones((1, 3))))
    numbers.type, numbers.shape = ir.TensorType(ir.DataType.FLOAT), ir.Shape([rows, 3])
    return numbers, unsettled
