"""Recognising any NonMaxSuppression with fixed boxes in front of it, and what is made of the boxes it selects."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes._follow import UnknownTailError
from webbuild.passes._graph import constant, dims, nodes_of, users
from webbuild.passes._row_axis import axis_behind
from webbuild.passes._status import capacity

_MOST_CANDIDATES = 1024
"""Candidates that a head keeps at most: overlaps are a matrix, which takes 4 MB then."""


@dataclass(kw_only=True)
class Selection:
    """A NonMaxSuppression of `batches` times `classes` lists of `boxes` scores.

    Attributes:
        nms: the node.
        most: boxes selected of each list at most, None if that is computed.
        axes: for every value made of the selected boxes, the axis that counts them.
        region: the nodes that make them, in order.
        lengths: nodes that read the number of selected boxes out of a Shape.
        outputs: those values that are outputs of the graph.
    """

    nms: ir.Node
    batches: int
    classes: int
    boxes: int
    most: int | None
    axes: dict[ir.Value, int]
    region: list[ir.Node]
    lengths: list[ir.Node]
    outputs: list[ir.Value]

    @property
    def where(self) -> str:
        """Return how a report names it."""
        return self.nms.name or "NonMaxSuppression"

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return which input of which node is each threshold that there is."""
        places = {"confidence": 4, "iou": 3}
        given = {name: at for name, at in places.items() if len(self.nms.inputs) > at and self.nms.inputs[at]}
        return {name: (self.nms, at) for name, at in given.items()}

    def sizes(self, candidates: int | None) -> tuple[int, int]:
        """Return how many candidates a head keeps, and how many boxes are given at most."""
        everything = self.batches * self.classes * self.boxes
        bound = everything if self.most is None else min(everything, self.batches * self.classes * self.most)
        kept = min(everything, candidates or min(capacity(everything, bound), _MOST_CANDIDATES))
        return kept, min(bound, kept)


def find_selection(model: ir.Model) -> Selection | None:
    """Return the NonMaxSuppression of the graph and what follows it, None if there is none.

    Raises:
        UnknownTailError: there is one, but not of fixed shapes, or what follows mixes the boxes it selects.
    """
    suppressions = list(nodes_of(model, "NonMaxSuppression"))
    if not suppressions:
        return None
    nms = suppressions[0]
    where = nms.name or "NonMaxSuppression"
    if len(suppressions) > 1:
        raise UnknownTailError(where, f"the graph has {len(suppressions)} of them")
    boxes, scores = dims(nms.inputs[0]), dims(nms.inputs[1])
    if boxes is None or scores is None or len(scores) != 3:
        raise UnknownTailError(where, "the number of boxes in front of it is not fixed: give --dim")
    limit = nms.inputs[2] if len(nms.inputs) > 2 else None
    most = constant(limit)
    if limit is None or (most is not None and (most.size != 1 or most.item() < 1)):
        raise UnknownTailError(where, "it selects no boxes: max_output_boxes_per_class is missing or zero")
    found = Selection(
        nms=nms,
        batches=scores[0],
        classes=scores[1],
        boxes=scores[2],
        most=None if most is None else int(most.item()),
        axes={nms.outputs[0]: 0},
        region=[],
        lengths=[],
        outputs=[],
    )
    _follow(model, found)
    if not found.outputs:
        raise UnknownTailError(where, "nothing that it selects is an output")
    return found


def _follow(model: ir.Model, found: Selection) -> None:
    """Follow the selected boxes to the outputs.

    Raises:
        UnknownTailError: a node is not understood, or may mix boxes.
    """
    model.graph.sort()
    for node in model.graph:
        read = [value for value in node.inputs if value is not None and value in found.axes]
        if not read:
            continue
        place = f"{node.op_type} '{node.name}'"
        if node.domain not in ("", "ai.onnx"):
            raise UnknownTailError(place, "it is no standard operator, and reads what was selected")
        if node.op_type == "Shape":
            found.lengths += _lengths(node, found.axes[read[0]], place)
            continue
        axis = axis_behind(node, found.axes)
        if axis is None:
            raise UnknownTailError(place, "it may mix the boxes that were selected, or needs their number")
        found.region.append(node)
        found.axes.update(dict.fromkeys(node.outputs, axis))
    found.outputs += [value for value in model.graph.outputs if value in found.axes]


def _lengths(shape: ir.Node, axis: int, place: str) -> list[ir.Node]:
    """Return the readers of a Shape that take the number of boxes out of it.

    Raises:
        UnknownTailError: one takes something else.
    """
    found = users(shape.outputs[0])
    for node in found:
        wanted = constant(node.inputs[1]) if node.op_type == "Gather" else None
        if wanted is None or wanted.size != 1 or int(wanted.item()) != axis or "start" in shape.attributes:
            raise UnknownTailError(place, f"{node.op_type} '{node.name}' needs a shape that depends on the data")
    return found
