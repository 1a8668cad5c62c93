"""Recognition of NMS in a graph: mask by confidence, NonMaxSuppression, Gather of the kept rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes.analysis.mixed_rows import mixing_node
from webbuild.passes.analysis.use_def import UnknownNmsPatternError, skip_layout_ops, trace_indices
from webbuild.passes.nms.gathered_rows import GatheredRows, find_gathered_rows
from webbuild.passes.nms.pattern import CandidateMask, NmsPattern
from webbuild.passes.nms.selected_rows import is_filled_up
from webbuild.passes.rewrite import constant, find_nodes, static_shape


@dataclass(kw_only=True)
class BoxNmsPattern(NmsPattern):
    """A NonMaxSuppression of one image and one class axis, and the rows around it."""

    boxes: ir.Value


def find_box_nms(model: ir.Model) -> BoxNmsPattern | None:
    """Return the NMS of the graph, None if it has no NonMaxSuppression.

    Raises:
        UnknownNmsPatternError: there is one, but the nodes around it match no known form.
    """
    suppressions = [node for node in find_nodes(model, "NonMaxSuppression") if not is_filled_up(node)]
    if not suppressions:
        return None
    nms = suppressions[0]
    where = nms.name or "NonMaxSuppression"
    if len(suppressions) > 1:
        raise UnknownNmsPatternError(
            where, f"the graph has {len(suppressions)} of them: only one image at a time is supported"
        )
    if nms.attributes.get_int("center_point_box", 0) != 0:
        raise UnknownNmsPatternError(where, "its boxes are centre and size")
    boxes = nms.inputs[0]
    if boxes is None or len(nms.inputs) < 4 or nms.inputs[3] is None:
        raise UnknownNmsPatternError(where, "it has no IoU threshold")
    if len(nms.inputs) > 4 and nms.inputs[4] is not None:
        raise UnknownNmsPatternError(where, "it has its own score threshold")
    mask = find_candidate_mask(model, where)
    index_uses = trace_indices(nms.outputs[0], where)
    if not index_uses.gathers or index_uses.limit is None:
        raise UnknownNmsPatternError(where, "no limit on the number of detections was found after it")
    _check_consistent(nms, mask, index_uses.limit, where)
    rows = find_gathered_rows(model, index_uses.gathers, where)
    _check_row_by_row(nms, mask, index_uses.gathers, rows, where)
    return BoxNmsPattern(
        nms_node=nms,
        iou_input=3,
        mask=mask,
        kept_gathers=index_uses.gathers,
        rows=rows,
        max_detections=index_uses.limit,
        anchors=anchor_count(mask, where),
        boxes=boxes,
    )


def anchor_count(mask: CandidateMask, where: str) -> int:
    """Return the number of anchors.

    Raises:
        UnknownNmsPatternError: the number is not static, or the scores are not float32.
    """
    where = mask.greater.name or where
    if mask.score.dtype != ir.DataType.FLOAT:
        raise UnknownNmsPatternError(where, "its scores are not float32")
    anchors = static_shape(mask.score)
    if anchors is None or len(anchors) != 1:
        raise UnknownNmsPatternError(where, "the number of anchors is not fixed: give --dim")
    return anchors[0]


def find_candidate_mask(model: ir.Model, where: str) -> CandidateMask:
    """Return the candidates that NonZero of a Greater selects. Some exports have a NonZero for each Gather.

    Raises:
        UnknownNmsPatternError: there are none.
    """
    candidate_mask: CandidateMask | None = None
    for nonzero in find_nodes(model, "NonZero"):
        value = nonzero.inputs[0]
        greater = value.producer() if value is not None else None
        if (
            greater is None
            or greater.op_type != "Greater"
            or (candidate_mask and greater is not candidate_mask.greater)
        ):
            continue
        score, threshold = greater.inputs
        indices = trace_indices(nonzero.outputs[0], where)
        if score is not None and threshold is not None and indices.gathers:
            candidate_mask = candidate_mask or CandidateMask(score, threshold, greater, [])
            candidate_mask.gathers += indices.gathers
    if candidate_mask is None:
        raise UnknownNmsPatternError(where, "no candidates selected by NonZero of a Greater were found before it")
    return candidate_mask


def _check_consistent(nms: ir.Node, mask: CandidateMask, limit: int, where: str) -> None:
    """Raise unless NMS sorts by the score that the mask compares, and keeps at least `limit` boxes."""
    if not is_gathered_score(nms.inputs[1], mask):
        raise UnknownNmsPatternError(where, "it sorts by another score than the one that selected the candidates")
    most = constant(nms.inputs[2])
    if most is None or most.size != 1 or int(most.item()) < limit:
        raise UnknownNmsPatternError(where, "it limits the number of boxes itself")


def _check_row_by_row(
    nms: ir.Node, mask: CandidateMask, kept_gathers: Sequence[ir.Node], rows: GatheredRows, where: str
) -> None:
    """Raise if a row depends on others, such as on the largest coordinate of all candidates.

    The replacement computes with all anchors, or with a fixed number of them.
    """
    joiner = rows.value.producer()
    mixing = mixing_node((node.outputs[0] for node in mask.gathers), {nms, *kept_gathers})
    mixing = mixing or mixing_node((node.outputs[0] for node in kept_gathers), {joiner} if joiner else ())
    if mixing is not None:
        raise UnknownNmsPatternError(where, f"{mixing.op_type} '{mixing.name}' mixes the rows of its candidates")


def is_gathered_score(scores: ir.Value | None, mask: CandidateMask) -> bool:
    """Whether scores are the gathered scores of the candidates, in any layout."""
    scores = skip_layout_ops(scores)
    gather = None if scores is None else scores.producer()
    return gather is not None and gather in mask.gathers and gather.inputs[0] is mask.score
