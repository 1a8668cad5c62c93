"""The common pattern of detection heads: a confidence mask, NMS, and a Gather of the kept rows."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes.nms.gathered_rows import GatheredRows


@dataclass
class CandidateMask:
    """Candidates taken from all anchors where `score` [anchors] is greater than `threshold`.

    `gathers` take what belongs to the candidates. `max_candidates` is how many there may be, None for all.
    """

    score: ir.Value
    threshold: ir.Value
    greater: ir.Node
    gathers: list[ir.Node]
    max_candidates: int | None = None


@dataclass(kw_only=True)
class NmsPattern:
    """Candidates, which of them are kept, and the rows made of those.

    `nms_node` is the node whose input `iou_input` is the overlap threshold, `kept_gathers` gather by what survives.
    """

    nms_node: ir.Node
    iou_input: int
    mask: CandidateMask
    kept_gathers: list[ir.Node]
    rows: GatheredRows
    max_detections: int
    anchors: int

    @property
    def where(self) -> str:
        """Return how a report names the tail."""
        return self.nms_node.name or self.nms_node.op_type

    @property
    def iou(self) -> ir.Value:
        """Return the overlap threshold."""
        value = self.nms_node.inputs[self.iou_input]
        assert value is not None
        return value

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return which input of which node is each threshold."""
        return {"confidence": (self.mask.greater, 1), "iou": (self.nms_node, self.iou_input)}
