"""Recognising a detection tail: mask by confidence, NonMaxSuppression, gather of the rows that are kept."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes._follow import UnknownTailError, follow, origin
from webbuild.passes._graph import constant, dims, nodes_of
from webbuild.passes._rows import find_rows
from webbuild.passes._tail import Mask, Tail


@dataclass(kw_only=True)
class BoxTail(Tail):
    """A NonMaxSuppression of one image and one class axis, and the rows around it."""

    boxes: ir.Value


def find_box_tail(model: ir.Model) -> BoxTail | None:
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
    boxes = nms.inputs[0]
    if boxes is None or len(nms.inputs) < 4 or nms.inputs[3] is None:
        raise UnknownTailError(where, "it has no overlap threshold")
    if len(nms.inputs) > 4 and nms.inputs[4] is not None:
        raise UnknownTailError(where, "it applies a score threshold of its own")
    mask = find_mask(model, where)
    kept = follow(nms.outputs[0], where)
    if not kept.gathers or kept.limit is None:
        raise UnknownTailError(where, "no limit on the number of detections was found behind it")
    _agrees(nms, mask, kept.limit, where)
    return BoxTail(
        suppression=nms,
        overlap=3,
        mask=mask,
        kept=kept.gathers,
        rows=find_rows(model, kept.gathers, where),
        max_detections=kept.limit,
        anchors=anchors_of(mask, where),
        boxes=boxes,
    )


def anchors_of(mask: Mask, where: str) -> int:
    """Return how many anchors there are.

    Raises:
        UnknownTailError: their number is free, or their scores are not float32.
    """
    where = mask.greater.name or where
    if mask.score.dtype != ir.DataType.FLOAT:
        raise UnknownTailError(where, "its scores are not float32")
    anchors = dims(mask.score)
    if anchors is None or len(anchors) != 1:
        raise UnknownTailError(where, "the number of anchors is not fixed: give --dim")
    return anchors[0]


def find_mask(model: ir.Model, where: str) -> Mask:
    """Return the candidates that NonZero of a Greater chooses. There is a NonZero for each gather in some exports.

    Raises:
        UnknownTailError: there are no such.
    """
    found: Mask | None = None
    for nonzero in nodes_of(model, "NonZero"):
        value = nonzero.inputs[0]
        greater = value.producer() if value is not None else None
        if greater is None or greater.op_type != "Greater" or (found and greater is not found.greater):
            continue
        score, threshold = greater.inputs
        indices = follow(nonzero.outputs[0], where)
        if score is not None and threshold is not None and indices.gathers:
            found = found or Mask(score, threshold, greater, [])
            found.gathers += indices.gathers
    if found is None:
        raise UnknownTailError(where, "no candidates chosen by NonZero of a Greater were found in front of it")
    return found


def _agrees(nms: ir.Node, mask: Mask, limit: int, where: str) -> None:
    """Raise unless the suppression sorts by the score that the mask is made of, and keeps at least `limit` boxes."""
    if not is_gathered_score(nms.inputs[1], mask):
        raise UnknownTailError(where, "it sorts by another score than the one that chose the candidates")
    most = constant(nms.inputs[2])
    if most is None or most.size != 1 or int(most.item()) < limit:
        raise UnknownTailError(where, "it limits the number of boxes itself")


def is_gathered_score(scores: ir.Value | None, mask: Mask) -> bool:
    """Whether scores are those of the candidates, in any layout."""
    scores = origin(scores)
    gather = None if scores is None else scores.producer()
    return gather is not None and gather in mask.gathers and gather.inputs[0] is mask.score
