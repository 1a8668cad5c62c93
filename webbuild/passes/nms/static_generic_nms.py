from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.nms.generic_pattern import GenericNmsPattern
from webbuild.passes.nms.int32_rows import divmod_int32, propagate_int32
from webbuild.passes.nms.nms_pass import NmsPass
from webbuild.passes.nms.padded_output import pad_selected_outputs
from webbuild.passes.nms.status_output import add_status_output
from webbuild.passes.nms.unrolled_nms import add_unrolled_nms
from webbuild.passes.rewrite import constant, static_shape

MAX_ROUNDS = 16

_FLOAT, _INT32, _INT64 = (kind.value for kind in (ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.INT64))


class StaticGenericNms(NmsPass[GenericNmsPattern]):
    """Replaces any other NonMaxSuppression, also of several classes and images, by operators with static shapes.

        NonMaxSuppression(boxes [B, N, 4], scores [B, C, N]) [n, 3] int64
            ->  TopK(scores [B * C * N], K) -> IoU [K, K] -> 16 rounds -> TopK(R) -> [R, 3] int32
        output [n, ...]  ->  [R, ...]

    How: greedy NMS with static shapes:

    - TopK selects the best `candidates` scores of all classes and images.
    - The overlaps form a matrix, limited to pairs of the same class and image.
    - Greedy NMS is an unrolled fixed-point iteration, as in `static-nms`.
    - The rank of each box enforces the limit of boxes per class.
    - A second TopK restores the order of ONNX Runtime (image, class, descending score).

    Every output with one row per selected box gets a fixed number of rows, zero after the last box. If a Slice keeps
    the first N, that number is N. If a TopK keeps the best min(n, K), as after several classes, it is K.

    The extra output `head_status` [2] is whether NMS converged, and the number of scores above the threshold. If it did
    not converge, or there were more scores than `candidates`, the runtime repeats the run on the WASM graph.

    Limits: float32 scores, B * C * N and B * C * K below 2^24, since positions and keys are float32. Exact if
    `head_status` says so.

    Source: `onnxruntime/core/providers/cpu/object_detection/non_max_suppression.cc` for the arithmetic and the order.
    """

    code = "static-generic-nms"
    after = ("promote-thresholds", "static-nms", "runtime-nms")
    target = "webgpu"
    pattern = GenericNmsPattern

    def rewrite(self, model: ir.Model, tail: GenericNmsPattern, options: PassOptions) -> list[Rewrite]:
        total = tail.batches * tail.classes * tail.boxes
        if tail.nms.inputs[1] is None or tail.nms.inputs[1].dtype != ir.DataType.FLOAT or total >= 1 << 24:
            return [self.skipped(tail.where, f"its scores are not float32, or are too many: {total}")]
        candidates, rows = tail.capacity
        if tail.batches * tail.classes * candidates >= 1 << 24:
            return [self.skipped(tail.where, f"{tail.batches} x {tail.classes} classes are too many to sort")]
        _rebuild(model, tail, candidates, rows)
        reason = (
            f"suppression of {tail.batches} x {tail.classes} x {tail.boxes} scores became {MAX_ROUNDS} rounds over the "
            f"best {candidates}, with {rows} rows out"
        )
        return [self.applied(tail.where, reason)]


def _rebuild(model: ir.Model, tail: GenericNmsPattern, candidates: int, rows: int) -> None:
    nms, total = tail.nms, tail.batches * tail.classes * tail.boxes
    add = Builder(model.graph, nms, "selection")
    column, line = add.const([candidates, 1], np.int64), add.const([1, candidates], np.int64)
    # scores [B, C, N] -> [B * C * N] -> best [K]
    flat = add.reshape(nms.inputs[1], [total])
    best, index = add.node("TopK", flat, add.const([candidates], np.int64), outputs=2, axis=0)
    above = above_threshold(add, nms, flat)
    valid = add.op("Reshape", add.op("Cast", above_threshold(add, nms, best), to=_FLOAT), line)
    # a Cast of int64 runs on the CPU, so the indices are gathered from a float table of indices instead
    box_position = add.op("Cast", add.op("Gather", add.const(np.arange(total)), index, axis=0), to=_INT32)
    # position = (batch * C + label) * N + box, each int32 [K]
    group, box = divmod_int32(add, box_position, tail.boxes)
    batch, label = divmod_int32(add, group, tail.classes)
    row = add.op("Add", add.op("Mul", batch, _int32(add, tail.boxes)), box)
    corners = add_corners(add, nms, row, tail.batches * tail.boxes)
    groups = add.op("Cast", group, to=_FLOAT)
    # bool [K, K]: both candidates are of the same image and class
    alike = add.op("Equal", add.op("Reshape", groups, column), add.op("Reshape", groups, line))
    iou = nms.inputs[3] if len(nms.inputs) > 3 and nms.inputs[3] is not None else add.const([0.0])
    keep, unsettled = add_unrolled_nms(
        add,
        corners,
        valid,
        iou,
        candidates=candidates,
        rounds=MAX_ROUNDS,
        alike=alike if tail.batches * tail.classes > 1 else None,
    )
    if tail.max_selected is None or tail.max_selected < candidates:
        keep = add.op("Mul", keep, _within_limit(add, nms, keep, alike, candidates))
    # unique keys: sorted by group, then by score
    falling = add.op("Sub", add.const(float(tail.batches * tail.classes)), groups)
    within = add.const(np.arange(candidates) / candidates)
    # key = keep * (B * C - group - rank / K): [K], 0 for suppressed boxes
    order = add.op("Mul", add.reshape(keep, [candidates]), add.op("Sub", falling, within))
    rank, position = add.node("TopK", order, add.const([rows], np.int64), outputs=2, axis=0)
    real = add.op("Greater", rank, add.const([0.0]))
    flags = add.op("Cast", real, to=_INT32)
    # batch, label, box: [K] -> [R], 0 after the last -> [R, 3]
    parts = [add.op("Mul", add.op("Gather", part, position, axis=0), flags) for part in (batch, label, box)]
    tall = add.const([rows, 1], np.int64)
    selected = add.op("Concat", *(add.op("Reshape", part, tall) for part in parts), axis=1)
    count = add.op("Cast", add.reduce("ReduceSum", add.op("Cast", real, to=_FLOAT), 0), to=_INT64)
    selected.type, selected.shape = ir.TensorType(ir.DataType.INT32), ir.Shape([rows, 3])
    converged = add.op("Sub", add.const([1.0]), add.reshape(unsettled, [1]))
    pad_selected_outputs(model, tail, propagate_int32(model, tail, selected), real, count, rows)
    status, complete = Builder(model.graph, None, "selection/status"), None
    if tail.batches * tail.classes == 1 and rows == tail.limit:
        # float32 [R] -> bool [1]: all R rows are used; with one list, candidates beyond the best K cannot change them
        complete = status.op("Greater", status.slice(rank, 0, rows - 1, rows), status.const([0.0]))
    add_status_output(status, model, above, converged, candidates, MAX_ROUNDS, complete)


def _int32(add: Builder, value: int) -> ir.Value:
    return add.const(value, np.int32)


def above_threshold(add: Builder, nms: ir.Node, scores: ir.Value) -> ir.Value:
    """Return whether each score is above the threshold; all are if there is none."""
    threshold = nms.inputs[4] if len(nms.inputs) > 4 else None
    return add.op("Greater", scores, add.const([-np.inf]) if threshold is None else threshold)


def add_corners(add: Builder, nms: ir.Node, index: ir.Value, rows: int) -> ir.Value:
    """Return the candidates' boxes [candidates, 4] as two corners, from the `rows` boxes of all images."""
    everything = add.reshape(nms.inputs[0], [rows, 4])
    boxes = add.op("Gather", everything, index, axis=0)
    if not nms.attributes.get_int("center_point_box", 0):
        return boxes
    # x y width height -> x1 y1 x2 y2: centre -+ size / 2 (center_point_box = 1)
    centre, size = add.split(boxes, 2, axis=1)
    half = add.op("Div", size, add.const(2.0))
    return add.op("Concat", add.op("Sub", centre, half), add.op("Add", centre, half), axis=1)


def _within_limit(add: Builder, nms: ir.Node, keep: ir.Value, alike: ir.Value, candidates: int) -> ir.Value:
    """Return 1 where fewer better boxes of the same class and image are kept than the limit, else 0."""
    rank = np.arange(candidates)
    better = add.op("And", alike, add.const(rank[:, None] < rank[None, :], np.bool_))
    # keep [1, K] @ better [K, K] = number of better boxes kept in the same list [1, K]
    ahead = add.op("MatMul", keep, add.op("Cast", better, to=_FLOAT))
    return add.op("Cast", add.op("Less", ahead, _max_boxes_per_class(add, nms.inputs[2])), to=_FLOAT)


def _max_boxes_per_class(add: Builder, limit: ir.Value | None) -> ir.Value:
    """Return the limit of boxes per class as float32, from before its Cast to int64 if there is one."""
    if (fixed := constant(limit)) is not None:
        return add.const([float(fixed.item())])
    cast = limit.producer() if limit is not None else None
    source = cast.inputs[0] if cast is not None and cast.op_type == "Cast" else None
    if source is not None and source.dtype == ir.DataType.FLOAT and static_shape(source) is not None:
        return add.op("Floor", source)
    return add.op("Cast", limit, to=_FLOAT)
