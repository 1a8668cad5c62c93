"""The fixed-shape detection head, for the GPU."""

from __future__ import annotations

import json

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options
from webbuild.passes._graph import Builder, replace
from webbuild.passes._suppression import suppress
from webbuild.passes._tail import Tail
from webbuild.passes._tail_pass import TailPass

ROUNDS = 16
KEY = "webbuild.head"
"""Metadata key under which the head's status output, capacity and rounds are kept, as JSON."""


class FixedShapeHead(TailPass):
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

    def rewrite(self, model: ir.Model, tail: Tail, options: Options) -> list[Edit]:
        """Rebuild the tail."""
        candidates = min(tail.anchors, options.candidates or capacity(tail.anchors, tail.max_detections))
        _rebuild(model, tail, candidates)
        why = (
            f"NonMaxSuppression over {tail.anchors} anchors became {ROUNDS} rounds over the best {candidates}, "
            f"with {tail.max_detections} rows out"
        )
        return [self.done(tail.nms.name or "NonMaxSuppression", why)]


def capacity(anchors: int, max_detections: int) -> int:
    """Return how many candidates the head keeps: a power of two, at least 256 and half again the rows out."""
    wanted = max(256, max_detections + max_detections // 2)
    return min(anchors, 1 << (wanted - 1).bit_length())


def _rebuild(model: ir.Model, tail: Tail, candidates: int) -> None:
    """Put the head in the place of the tail; what is no longer read is left for `clean-up`."""
    front = Builder(model.graph, tail.mask.gathers[0], "head/candidates")
    best, index = front.node("TopK", tail.mask.score, front.const([candidates], np.int64), outputs=2, axis=0)
    for gather in tail.mask.gathers:
        replace(gather.outputs[0], _gather(model, gather, index))
    add = Builder(model.graph, tail.nms, "head")
    flags = add.op("Cast", add.op("Greater", best, tail.mask.threshold), to=ir.DataType.FLOAT.value)
    valid = add.op("Reshape", flags, add.const([1, candidates], np.int64))
    boxes = add.op("Reshape", tail.boxes, add.const([candidates, 4], np.int64))
    keep, unsettled = suppress(add, boxes, valid, tail.iou, candidates=candidates, rounds=ROUNDS)
    falling = add.const(np.arange(candidates, 0, -1)[None])
    order = add.op("Reshape", add.op("Mul", keep, falling), add.const([candidates], np.int64))
    rows = min(candidates, tail.max_detections)
    rank, position = add.node("TopK", order, add.const([rows], np.int64), outputs=2, axis=0)
    for gather in tail.kept:
        replace(gather.outputs[0], _gather(model, gather, position))
    real = add.op("Greater", rank, add.const([0.0]))
    fill_rows(model, tail, add.op("Reshape", real, add.const([rows, 1], np.int64)), rows)
    _report(model, tail, unsettled, candidates)


def _gather(model: ir.Model, old: ir.Node, index: ir.Value) -> ir.Value:
    """Return what `old` gathered, gathered by `index` instead."""
    return Builder(model.graph, old, f"{old.name}/fixed").op("Gather", old.inputs[0], index, axis=0)


def fill_rows(model: ir.Model, tail: Tail, real: ir.Value, rows: int) -> None:
    """Zero the rows [rows, columns] where `real` [rows, 1] is false, and add zeros up to max_detections, if fewer.

    The Pads that did so before are dropped.
    """
    readers = [(use.node, use.idx) for use in tail.rows.uses()]
    joiner = tail.rows.producer()
    assert joiner is not None
    add = Builder(model.graph, joiner, "head/rows")
    filled = add.op("Where", real, tail.rows, add.const(0.0))
    if rows < tail.max_detections:
        zeros = np.zeros((tail.max_detections - rows, tail.columns))
        filled = add.op("Concat", filled, add.const(zeros), axis=0)
    model.graph.sort()
    for node, position in readers:
        node.replace_input_with(position, filled)
    for pad in tail.pads:
        unpadded = pad.inputs[0]
        assert unpadded is not None
        replace(pad.outputs[0], unpadded)


def _report(model: ir.Model, tail: Tail, unsettled: ir.Value, candidates: int) -> None:
    """Add the output `head_status`: converged, number of candidates."""
    add = Builder(model.graph, tail.nms, "head/status")
    above = add.op("Cast", tail.mask.greater.outputs[0], to=ir.DataType.FLOAT.value)
    count = add.reduce("ReduceSum", above, 0)
    converged = add.op("Sub", add.const([1.0]), add.op("Reshape", unsettled, add.const([1], np.int64)))
    status = add.op("Concat", converged, count, axis=0)
    status.name = "head_status"
    status.shape = ir.Shape([2])
    status.type = ir.TensorType(ir.DataType.FLOAT)
    model.graph.outputs.append(status)
    model.metadata_props[KEY] = json.dumps({"output": status.name, "capacity": candidates, "rounds": ROUNDS})
