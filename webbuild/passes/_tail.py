"""Recognising a detection tail: mask by confidence, NonMaxSuppression, gather of the rows that are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from webbuild.passes._graph import constant, dims, nodes_of, users

_LAYOUT = {"Transpose", "Squeeze", "Unsqueeze", "Reshape", "Expand", "Identity", "Cast"}
"""Operators that hand an index vector on, in another shape or type."""


class UnknownTailError(Exception):
    """Why a graph with NonMaxSuppression is not the tail that the head passes know: where, why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(why)
        self.where = where
        self.why = why


@dataclass
class Indices:
    """Where an index vector goes: nodes that gather rows by it, and the limit put on its length."""

    gathers: list[ir.Node] = field(default_factory=list)
    limit: int | None = None


@dataclass
class Mask:
    """Candidates taken from all anchors where `score` [anchors] is greater than `threshold`."""

    score: ir.Value
    threshold: ir.Value
    greater: ir.Node
    gathers: list[ir.Node]


@dataclass
class Tail:
    """A NonMaxSuppression of one image and one class axis, and the rows around it.

    `mask` is None when the suppression itself applies the confidence threshold. `rows` is the Concat [kept,
    columns] that joins what was gathered by the kept indices, `pads` what fills it up to `max_detections`.
    """

    nms: ir.Node
    boxes: ir.Value
    scores: ir.Value
    iou: ir.Value
    mask: Mask
    kept: list[ir.Node]
    rows: ir.Value
    columns: int
    pads: list[ir.Node]
    max_detections: int
    anchors: int


def find_tail(model: ir.Model) -> Tail | None:
    """Return the detection tail of the graph, None if it has no NonMaxSuppression.

    Raises:
        UnknownTailError: there is one, but its surroundings are not of a known form.
    """
    suppressions = list(nodes_of(model, "NonMaxSuppression"))
    if not suppressions:
        return None
    nms = suppressions[0]
    where = nms.name or "NonMaxSuppression"
    if len(suppressions) > 1:
        raise UnknownTailError(where, f"the graph has {len(suppressions)} of them: one picture at a time is supported")
    if nms.attributes.get_int("center_point_box", 0) != 0:
        raise UnknownTailError(where, "boxes are given by their centres")
    boxes, scores = nms.inputs[0], nms.inputs[1]
    iou = nms.inputs[3] if len(nms.inputs) > 3 else None
    if boxes is None or scores is None or iou is None:
        raise UnknownTailError(where, "it has no overlap threshold")
    if len(nms.inputs) > 4 and nms.inputs[4] is not None:
        raise UnknownTailError(where, "it applies a score threshold of its own")
    mask = _mask(model, where)
    kept = _follow(nms.outputs[0], where)
    if not kept.gathers or kept.limit is None:
        raise UnknownTailError(where, "no limit on the number of detections was found behind it")
    _agrees(nms, mask, kept.limit, where)
    anchors = dims(mask.score)
    if anchors is None or len(anchors) != 1:
        raise UnknownTailError(mask.greater.name or where, "the number of anchors is not fixed: give --dim")
    rows, pads = _rows(model, kept.gathers, where)
    columns = rows.shape[-1] if rows.shape is not None and len(rows.shape) == 2 else None
    if not isinstance(columns, int):
        raise UnknownTailError(where, "the rows behind it are no matrix with a fixed number of columns")
    return Tail(nms, boxes, scores, iou, mask, kept.gathers, rows, columns, pads, kept.limit, anchors[0])


def _agrees(nms: ir.Node, mask: Mask, limit: int, where: str) -> None:
    """Raise unless the suppression sorts by the score that the mask is made of, and keeps at least `limit` boxes."""
    if mask.score.dtype != ir.DataType.FLOAT:
        raise UnknownTailError(mask.greater.name or where, "its scores are not float32")
    scores: ir.Value | None = nms.inputs[1]
    while scores is not None and (node := scores.producer()) is not None and node.op_type in _LAYOUT:
        scores = node.inputs[0]
    gather = None if scores is None else scores.producer()
    if gather is None or gather not in mask.gathers or gather.inputs[0] is not mask.score:
        raise UnknownTailError(where, "it sorts by another score than the one that chose the candidates")
    most = constant(nms.inputs[2])
    if most is None or most.size != 1 or int(most.item()) < limit:
        raise UnknownTailError(where, "it limits the number of boxes itself")


def _mask(model: ir.Model, where: str) -> Mask:
    for nonzero in nodes_of(model, "NonZero"):
        value = nonzero.inputs[0]
        greater = value.producer() if value is not None else None
        if greater is None or greater.op_type != "Greater":
            continue
        score, threshold = greater.inputs
        indices = _follow(nonzero.outputs[0], where)
        if score is not None and threshold is not None and indices.gathers:
            return Mask(score, threshold, greater, indices.gathers)
    raise UnknownTailError(where, "no candidates chosen by NonZero of a Greater were found in front of it")


def _follow(start: ir.Value, where: str) -> Indices:
    """Follow an index vector to the nodes that gather by it."""
    found = Indices()
    waiting = [start]
    while waiting:
        value = waiting.pop()
        for node in users(value):
            is_data = bool(node.inputs) and node.inputs[0] is value
            if node.op_type == "Shape" or (not is_data and node.op_type == "Expand"):
                continue
            if not is_data and _gathers_rows(node):
                found.gathers.append(node)
            elif (is_data and (node.op_type in _LAYOUT or _picks_column(node))) or (
                is_data and node.op_type in ("Max", "Min") and len(node.inputs) == 1
            ):
                waiting.append(node.outputs[0])
            elif is_data and (limit := _limit(node)) is not None:
                found.limit = limit
                waiting.append(node.outputs[0])
            else:
                raise UnknownTailError(where, f"indices go into {node.op_type} '{node.name}', which is not understood")
    return found


def _gathers_rows(node: ir.Node) -> bool:
    along = {"Gather": "axis", "GatherND": "batch_dims"}.get(node.op_type)
    return along is not None and node.attributes.get_int(along, 0) == 0


def _picks_column(node: ir.Node) -> bool:
    """Whether a node takes the box index out of NonMaxSuppression's (batch, class, box) triples."""
    if node.op_type == "Gather":
        index = constant(node.inputs[1])
        return node.attributes.get_int("axis", 0) == 1 and index is not None and bool(np.all(index == 2))
    bounds = _slice(node)
    return bounds is not None and bounds[0] == 2 and bounds[2] == 1


def _limit(node: ir.Node) -> int | None:
    """Return n if a node keeps the first n elements."""
    bounds = _slice(node)
    return bounds[1] if bounds is not None and bounds[0] == 0 and bounds[2] == 0 and bounds[1] > 0 else None


def _slice(node: ir.Node) -> tuple[int, int, int] | None:
    """Return (start, end, axis) of a Slice with constant bounds along one axis with step 1."""
    if node.op_type != "Slice":
        return None
    values = [constant(value) for value in node.inputs[1:]]
    if any(value is None or value.size != 1 for value in values) or len(values) < 2:
        return None
    start, end, *rest = (int(value.item()) for value in values if value is not None)
    axis = rest[0] if rest else 0
    return (start, end, axis) if len(rest) < 2 or rest[1] == 1 else None


def _rows(model: ir.Model, gathers: list[ir.Node], where: str) -> tuple[ir.Value, list[ir.Node]]:
    """Return the value that joins everything gathered, and the Pads behind it."""
    origins = {id(node.outputs[0]): {index} for index, node in enumerate(gathers)}
    joined: ir.Value | None = None
    pads: list[ir.Node] = []
    for node in model.graph:
        if node in gathers:
            continue
        reached = _union(origins.get(id(value), set()) for value in node.inputs if value is not None)
        if not reached or node.op_type == "Shape":
            continue
        for output in node.outputs:
            origins[id(output)] = reached
        if node.op_type == "Concat" and joined is None and len(reached) == len(gathers):
            joined = node.outputs[0]
        if node.op_type == "Pad" and joined is not None and constant(node.inputs[1]) is None:
            pads.append(node)
    if joined is None:
        raise UnknownTailError(where, "what it keeps is not joined into rows by a Concat")
    return joined, pads


def _union(sets: Iterable[set[int]]) -> set[int]:
    return set().union(*sets)
