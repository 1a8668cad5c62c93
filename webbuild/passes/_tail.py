"""What detection tails have in common: a mask by confidence, a suppression, a gather of the rows that are kept."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from webbuild.passes._rows import Rows


@dataclass
class Mask:
    """Candidates taken from all anchors where `score` [anchors] is greater than `threshold`.

    `gathers` take what belongs to the candidates. `most` is how many there may be, None for all.
    """

    score: ir.Value
    threshold: ir.Value
    greater: ir.Node
    gathers: list[ir.Node]
    most: int | None = None


@dataclass(kw_only=True)
class Tail:
    """Candidates, which of them are kept, and the rows made of those.

    `suppression` is the node whose input `overlap` is the overlap threshold, `kept` gather by what survives.
    """

    suppression: ir.Node
    overlap: int
    mask: Mask
    kept: list[ir.Node]
    rows: Rows
    max_detections: int
    anchors: int

    @property
    def where(self) -> str:
        """Return how a report names the tail."""
        return self.suppression.name or self.suppression.op_type

    @property
    def iou(self) -> ir.Value:
        """Return the overlap threshold."""
        value = self.suppression.inputs[self.overlap]
        assert value is not None
        return value

    @property
    def thresholds(self) -> dict[str, tuple[ir.Node, int]]:
        """Return which input of which node is each threshold."""
        return {"confidence": (self.mask.greater, 1), "iou": (self.suppression, self.overlap)}
