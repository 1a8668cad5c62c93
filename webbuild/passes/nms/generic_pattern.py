"""Recognition of any NonMaxSuppression with a static number of boxes, and of the nodes that read its selection."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.nms.selected_rows import is_filled_up
from webbuild.passes.nms.selection_trace import SelectionTrace
from webbuild.passes.nms.status_output import candidate_capacity
from webbuild.passes.rewrite import constant, find_nodes, static_shape

MAX_CANDIDATES = 1024
"""Largest number of candidates: their overlap matrix takes 4 MB."""


@dataclass(kw_only=True)
class GenericNmsPattern:
    """A NonMaxSuppression of `batches` times `classes` lists of `boxes` scores.

    Attributes:
        nms: the node.
        max_selected: largest number of selected boxes per list, None if that is computed.
        axes: the axis of the selected boxes, for every value computed from them.
        dependent_nodes: the nodes that compute these values, in order.
        count_readers: nodes that return the number of selected boxes: a Shape with that size only, or a Gather of it.
        outputs: the values in `axes` that are outputs of the graph.
        limit: the number of boxes, in order of selection, that a Slice keeps for every output; None for all.
        ranking: the TopK that sorts the boxes before the outputs, if any, and its K.
    """

    nms: ir.Node
    batches: int
    classes: int
    boxes: int
    max_selected: int | None
    axes: dict[ir.Value, int]
    dependent_nodes: list[ir.Node]
    count_readers: list[ir.Node]
    outputs: list[ir.Value]
    limit: int | None = None
    ranking: tuple[ir.Node, int | None] | None = None

    @property
    def where(self) -> str:
        """Return the name of the node for reports."""
        return self.nms.name or "NonMaxSuppression"

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return the node and input index of each threshold."""
        places = {"confidence": 4, "iou": 3}
        present = {name: at for name, at in places.items() if len(self.nms.inputs) > at and self.nms.inputs[at]}
        return {name: (self.nms, at) for name, at in present.items()}

    @property
    def capacity(self) -> tuple[int, int]:
        """Return the number of candidates, and the largest number of boxes in the outputs."""
        bound = self.most_selected if self.limit is None else min(self.most_selected, self.limit)
        candidates = min(candidate_capacity(self.batches * self.classes * self.boxes, bound), MAX_CANDIDATES)
        return candidates, min(bound, candidates)

    @property
    def most_selected(self) -> int:
        """Return the largest number of selected boxes of all lists."""
        each = self.boxes if self.max_selected is None else min(self.boxes, self.max_selected)
        return self.batches * self.classes * each


def find_generic_nms(model: ir.Model) -> GenericNmsPattern | None:
    """Return the NonMaxSuppression of the graph and the nodes after it, None if there is none.

    Raises:
        UnknownNmsPatternError: its shapes are not static, or the nodes after it mix the selected boxes.
    """
    suppressions = [node for node in find_nodes(model, "NonMaxSuppression") if not is_filled_up(node)]
    if not suppressions:
        return None
    nms = suppressions[0]
    where = nms.name or "NonMaxSuppression"
    if len(suppressions) > 1:
        raise UnknownNmsPatternError(where, f"the graph has {len(suppressions)} of them")
    boxes, scores = static_shape(nms.inputs[0]), static_shape(nms.inputs[1])
    if boxes is None or scores is None or len(scores) != 3:
        raise UnknownNmsPatternError(where, "the number of boxes before it is not fixed: give --dim")
    limit = nms.inputs[2] if len(nms.inputs) > 2 else None
    most = constant(limit)
    if limit is None or (most is not None and (most.size != 1 or most.item() < 1)):
        raise UnknownNmsPatternError(where, "it selects no boxes: max_output_boxes_per_class is missing or zero")
    pattern = GenericNmsPattern(
        nms=nms,
        batches=scores[0],
        classes=scores[1],
        boxes=scores[2],
        max_selected=None if most is None else int(most.item()),
        axes={nms.outputs[0]: 0},
        dependent_nodes=[],
        count_readers=[],
        outputs=[],
    )
    SelectionTrace(model, pattern).follow()
    if not pattern.outputs:
        raise UnknownNmsPatternError(where, "no output depends on the boxes it selects")
    return pattern
