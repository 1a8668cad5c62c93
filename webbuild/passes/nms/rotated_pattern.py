"""Recognition of Ultralytics' NMS of rotated boxes: sorted candidates, and the upper triangle of their overlaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.use_def import UnknownNmsPatternError, skip_layout_ops, trace_indices
from webbuild.passes.builder import Builder
from webbuild.passes.nms.box_pattern import anchor_count, find_candidate_mask, is_gathered_score
from webbuild.passes.nms.gathered_rows import find_gathered_rows
from webbuild.passes.nms.pattern import CandidateMask, NmsPattern
from webbuild.passes.rewrite import constant, consumers, find_nodes, producer_of, replace_all_uses

_PAIRWISE_OPS = {
    *("Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Exp", "Log", "Cos", "Sin", "Neg", "Abs", "Clip", "Max", "Min"),
    *("Relu", "Cast", "Identity", "Squeeze", "Unsqueeze"),
}
"""Operators that compute each element from elements of one candidate, or of one pair."""

_WITHIN_ROW_OPS = {"Slice": 3, "Split": None, "Concat": None}
"""Operators that do so too unless they work along the first axis; index of the input with the axis, None: attribute."""


@dataclass(kw_only=True)
class RotatedNmsPattern(NmsPattern):
    """Fast NMS: a candidate is suppressed if any better one overlaps it too much, even a suppressed one.

    Attributes:
        sort: TopK that sorts the candidates by score.
        sorted_values: nodes that gather in that order.
        overlapping: bool [candidates, candidates], whether i is better than j and overlaps it too much.
        keep_mask: bool [candidates], whether no better one overlaps it too much.
        nonzero: NonZero of `keep_mask`.
        box_nodes: the nodes from the candidates to `overlapping`.
    """

    sort: ir.Node
    sorted_values: list[ir.Node]
    overlapping: ir.Value
    keep_mask: ir.Value
    nonzero: ir.Node
    box_nodes: list[ir.Node]


def find_rotated_nms(model: ir.Model) -> RotatedNmsPattern | None:
    """Return the NMS of rotated boxes in the graph, None if it has no matrix of overlaps.

    Raises:
        UnknownNmsPatternError: there is one, but the nodes around it match no known form.
    """
    for nonzero in find_nodes(model, "NonZero"):
        if (matrix := _matrix(nonzero)) is not None:
            return _match_around(model, nonzero, *matrix)
    return None


def _matrix(nonzero: ir.Node) -> tuple[ir.Node, ir.Node] | None:
    """Return the Trilu and the comparison with a threshold of NonZero(sum(compare(Trilu(overlaps))) <= 0)."""
    spared = producer_of(nonzero.inputs[0], "LessOrEqual")
    total = producer_of(spared.inputs[0], "ReduceSum") if spared is not None else None
    cast = producer_of(total.inputs[0], "Cast") if total is not None else None
    compare = producer_of(cast.inputs[0], "Greater", "GreaterOrEqual") if cast is not None else None
    trilu = producer_of(compare.inputs[0], "Trilu") if compare is not None else None
    if spared is None or total is None or compare is None or trilu is None:
        return None
    limit, axes = constant(spared.inputs[1]), constant(total.inputs[1])
    fits = limit is not None and not limit.any() and axes is not None and axes.tolist() in ([0], [-2])
    return (trilu, compare) if fits else None


def _match_around(model: ir.Model, nonzero: ir.Node, trilu: ir.Node, compare: ir.Node) -> RotatedNmsPattern:
    where = compare.name or compare.op_type
    above = constant(trilu.inputs[1]) if len(trilu.inputs) > 1 else None
    if trilu.attributes.get_int("upper", 1) != 1 or above is None or above.item() != 1:
        raise UnknownNmsPatternError(where, "its overlap matrix is not the part above the diagonal")
    composed = trace_indices(nonzero.outputs[0], where).gathers
    order = skip_layout_ops(composed[0].inputs[0]) if len(composed) == 1 else None
    sort = order.producer() if order is not None else None
    if sort is None or sort.op_type != "TopK" or order is not sort.outputs[1] or sort.outputs[0].uses():
        raise UnknownNmsPatternError(where, "the kept indices are not in an order by score")
    mask = _mask(model, sort, where)
    if not is_gathered_score(sort.inputs[0], mask):
        raise UnknownNmsPatternError(where, "it sorts by another score than the one that selected the candidates")
    index_uses = trace_indices(composed[0].outputs[0], where)
    if not index_uses.gathers or index_uses.limit is None:
        raise UnknownNmsPatternError(where, "no limit on the number of detections was found after it")
    spared = nonzero.inputs[0]
    assert spared is not None
    return RotatedNmsPattern(
        nms_node=compare,
        iou_input=1,
        mask=mask,
        kept_gathers=index_uses.gathers,
        rows=find_gathered_rows(model, index_uses.gathers, where),
        max_detections=index_uses.limit,
        anchors=anchor_count(mask, where),
        sort=sort,
        sorted_values=trace_indices(sort.outputs[1], where, composed[0]).gathers,
        overlapping=compare.outputs[0],
        keep_mask=spared,
        nonzero=nonzero,
        box_nodes=_box_nodes(mask, sort, trilu),
    )


def _mask(model: ir.Model, sort: ir.Node, where: str) -> CandidateMask:
    """Return the candidates: NonZero of a mask, or the TopK of the scores multiplied by the mask."""
    scores = skip_layout_ops(sort.inputs[0])
    gather = scores.producer() if scores is not None else None
    index = skip_layout_ops(gather.inputs[1]) if gather is not None and len(gather.inputs) > 1 else None
    best = producer_of(index, "TopK")
    if best is None:
        return find_candidate_mask(model, where)
    product = producer_of(best.inputs[0], "Mul")
    most = constant(best.inputs[1])
    if product is None or most is None or index is not best.outputs[1] or best.outputs[0].uses():
        raise UnknownNmsPatternError(where, "its candidates are not the best of the scores above a threshold")
    for flags, score in (product.inputs, tuple(reversed(product.inputs))):
        greater = producer_of(skip_layout_ops(flags), "Greater")
        if greater is not None and greater.inputs[0] is score and greater.inputs[1] is not None:
            gathers = trace_indices(best.outputs[1], where).gathers
            return CandidateMask(product.outputs[0], greater.inputs[1], greater, gathers, int(most.item()))
    raise UnknownNmsPatternError(where, "its candidates are not the best of the scores above a threshold")


def _box_nodes(mask: CandidateMask, sort: ir.Node, trilu: ir.Node) -> list[ir.Node]:
    """Return the nodes from the candidates to the overlaps; raise if one may mix candidates."""
    after: dict[ir.Node, None] = {}
    waiting = [gather.outputs[0] for gather in mask.gathers]
    while waiting:
        for node in consumers(waiting.pop()):
            if node not in after and node is not trilu and node.op_type != "Shape":
                after[node] = None
                waiting += node.outputs
    nodes: dict[ir.Node, None] = {}
    values = [trilu.inputs[0]]
    while values:
        value = values.pop()
        maker = value.producer() if value is not None else None
        if maker is not None and maker in after and maker not in nodes and maker is not sort:
            _check_elementwise(maker, sort, mask.max_candidates)
            nodes[maker] = None
            values += maker.inputs
    return list(nodes)


def _check_elementwise(node: ir.Node, sort: ir.Node, most: int | None) -> None:
    """Raise unless every output element of a node depends on one candidate or one pair."""
    sorts = node.op_type in ("Gather", "GatherND") and skip_layout_ops(node.inputs[1]) is sort.outputs[1]
    reshapes = node.op_type in ("Reshape", "Expand") and (_first(node) in (None, -1, 1, most))
    if node.op_type in _PAIRWISE_OPS or sorts or reshapes or (node.op_type in _WITHIN_ROW_OPS and _axis(node) != 0):
        return
    raise UnknownNmsPatternError(
        f"{node.op_type} '{node.name}'", "it may mix candidates before their overlaps are computed"
    )


def _axis(node: ir.Node) -> int:
    position = _WITHIN_ROW_OPS[node.op_type]
    if position is None:
        return node.attributes.get_int("axis", 0)
    axes = constant(node.inputs[position]) if len(node.inputs) > position else None
    return int(axes.item()) if axes is not None and axes.size == 1 else 0


def _first(node: ir.Node) -> int | None:
    """Return the first size of a Reshape's or Expand's constant shape."""
    shape = constant(node.inputs[1])
    return int(shape[0]) if shape is not None and shape.size else None


def allow_any_candidate_count(model: ir.Model, tail: RotatedNmsPattern) -> None:
    """Let the operators up to the overlaps accept any number of candidates, which are sorted by score already."""
    for gather in tail.sorted_values:
        replace_all_uses(gather.outputs[0], gather.inputs[0])
    for node in tail.box_nodes:
        if node.op_type in ("Reshape", "Expand") and _first(node) not in (None, -1, 1):
            shape = constant(node.inputs[1])
            assert shape is not None
            free = [-1 if node.op_type == "Reshape" else 1, *shape[1:].tolist()]
            add = Builder(model.graph, node, f"{node.name or node.op_type}/free")
            node.replace_input_with(1, add.const(free, np.int64))
