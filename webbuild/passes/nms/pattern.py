"""The common pattern of detection heads: a confidence mask, NMS, and a Gather of the kept rows."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes.nms.gathered_rows import GatheredRows


@dataclass
class CandidateMask:
    """Candidates: the anchors whose `score` [anchors] is greater than `threshold`.

    `gathers` are the nodes that gather values of the candidates. `max_candidates` limits their number; None for all.
    """

    score: ir.Value
    threshold: ir.Value
    greater: ir.Node
    gathers: list[ir.Node]
    max_candidates: int | None = None


@dataclass(kw_only=True)
class NmsPattern:
    """NMS: the candidates, the kept ones, and the rows of these.

    `nms_node` reads the IoU threshold as input `iou_input`; `kept_gathers` gather by the indices of the kept boxes.
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
        """Return the name of the NMS node for reports."""
        return self.nms_node.name or self.nms_node.op_type

    @property
    def iou(self) -> ir.Value:
        """Return the IoU threshold."""
        value = self.nms_node.inputs[self.iou_input]
        assert value is not None
        return value

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return the node and input index of each threshold."""
        return {"confidence": (self.mask.greater, 1), "iou": (self.nms_node, self.iou_input)}
