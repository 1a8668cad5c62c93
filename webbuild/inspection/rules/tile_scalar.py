"""Tiles of a single number."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, known_rank
from webbuild.inspection.finding import Finding
from webbuild.inspection.rules.base import Rule


class TileScalar(Rule):
    """The run throws: a Tile of a number without axes has no repeats to hand to its shader.

    `number of element of uniform variable must be greater than 0`.
    Fix: leave it out, since it repeats nothing; cpu-fallback until then.
    Source: measured on 1.30.0.
    """

    code = "tile-scalar"
    operators = ("Tile",)

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        if not context.on_gpu(node) or known_rank(node.inputs[0]) != 0:
            return None
        return self.finding(node, "throws", "it repeats a number that has no axes", "leave it out")
