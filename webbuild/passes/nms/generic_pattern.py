"""Recognising any NonMaxSuppression with fixed boxes in front of it, and what is made of the boxes it selects."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes.analysis.batch_axis import output_batch_axis
from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.nms.status_output import candidate_capacity
from webbuild.passes.rewrite import constant, consumers, find_nodes, static_shape

_MAX_CANDIDATES = 1024
"""Candidates that a head keeps at most: overlaps are a matrix, which takes 4 MB then."""


@dataclass(kw_only=True)
class GenericNmsPattern:
    """A NonMaxSuppression of `batches` times `classes` lists of `boxes` scores.

    Attributes:
        nms: the node.
        max_selected: boxes selected of each list at most, None if that is computed.
        axes: for every value made of the selected boxes, the axis that counts them.
        dependent_nodes: the nodes that make them, in order.
        count_readers: nodes that read the number of selected boxes out of a Shape.
        outputs: those values that are outputs of the graph.
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

    @property
    def where(self) -> str:
        """Return how a report names it."""
        return self.nms.name or "NonMaxSuppression"

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return which input of which node is each threshold that there is."""
        places = {"confidence": 4, "iou": 3}
        present = {name: at for name, at in places.items() if len(self.nms.inputs) > at and self.nms.inputs[at]}
        return {name: (self.nms, at) for name, at in present.items()}

    @property
    def capacity(self) -> tuple[int, int]:
        """How many candidates a head keeps, and how many boxes are given at most."""
        lists = self.batches * self.classes
        everything = lists * self.boxes
        bound = everything if self.max_selected is None else min(everything, lists * self.max_selected)
        kept = min(candidate_capacity(everything, bound), _MAX_CANDIDATES)
        return kept, min(bound, kept)


def find_generic_nms(model: ir.Model) -> GenericNmsPattern | None:
    """Return the NonMaxSuppression of the graph and what follows it, None if there is none.

    Raises:
        UnknownNmsPatternError: there is one, but not of fixed shapes, or what follows mixes the boxes it selects.
    """
    suppressions = list(find_nodes(model, "NonMaxSuppression"))
    if not suppressions:
        return None
    nms = suppressions[0]
    where = nms.name or "NonMaxSuppression"
    if len(suppressions) > 1:
        raise UnknownNmsPatternError(where, f"the graph has {len(suppressions)} of them")
    boxes, scores = static_shape(nms.inputs[0]), static_shape(nms.inputs[1])
    if boxes is None or scores is None or len(scores) != 3:
        raise UnknownNmsPatternError(where, "the number of boxes in front of it is not fixed: give --dim")
    limit = nms.inputs[2] if len(nms.inputs) > 2 else None
    most = constant(limit)
    if limit is None or (most is not None and (most.size != 1 or most.item() < 1)):
        raise UnknownNmsPatternError(where, "it selects no boxes: max_output_boxes_per_class is missing or zero")
    found = GenericNmsPattern(
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
    _trace_outputs(model, found)
    if not found.outputs:
        raise UnknownNmsPatternError(where, "nothing that it selects is an output")
    return found


def _trace_outputs(model: ir.Model, found: GenericNmsPattern) -> None:
    """Follow the selected boxes to the outputs.

    Raises:
        UnknownNmsPatternError: a node is not understood, or may mix boxes.
    """
    model.graph.sort()
    for node in model.graph:
        read = [value for value in node.inputs if value is not None and value in found.axes]
        if not read:
            continue
        place = f"{node.op_type} '{node.name}'"
        if node.domain not in ("", "ai.onnx"):
            raise UnknownNmsPatternError(place, "it is no standard operator, and reads what was selected")
        if node.op_type == "Shape":
            found.count_readers += _count_readers(node, found.axes[read[0]], place)
            continue
        axis = output_batch_axis(node, found.axes)
        if axis is None:
            raise UnknownNmsPatternError(place, "it may mix the boxes that were selected, or needs their number")
        found.dependent_nodes.append(node)
        found.axes.update(dict.fromkeys(node.outputs, axis))
    found.outputs += [value for value in model.graph.outputs if value in found.axes]


def _count_readers(shape: ir.Node, axis: int, place: str) -> list[ir.Node]:
    """Return the readers of a Shape that take the number of boxes out of it.

    Raises:
        UnknownNmsPatternError: one takes something else.
    """
    found = consumers(shape.outputs[0])
    for node in found:
        wanted = constant(node.inputs[1]) if node.op_type == "Gather" else None
        if wanted is None or wanted.size != 1 or int(wanted.item()) != axis or "start" in shape.attributes:
            raise UnknownNmsPatternError(place, f"{node.op_type} '{node.name}' needs a shape that depends on the data")
    return found
