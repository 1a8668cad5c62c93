"""Tiles of a single number."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, rank
from webbuild.inspection.rules._base import Rule


class ScalarTile(Rule):
    """The run throws: a Tile of a number without axes has no repeats to hand to its shader.

    `number of element of uniform variable must be greater than 0`.
    Mend: leave it out, since it repeats nothing; force-cpu until then.
    Source: measured on 1.30.0.
    """

    code = "scalar-tile"
    operators = ("Tile",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        if context.jsep or not context.on_gpu(node) or rank(node.inputs[0]) != 0:
            return None
        return self.finding(node, "throws", "it repeats a number that has no axes", "leave it out")
