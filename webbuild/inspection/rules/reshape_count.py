"""Reshapes that do not come out even."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context
from webbuild.inspection.element_counts import MEND, mismatch
from webbuild.inspection.rules._base import Rule


class ReshapeCount(Rule):
    """The run throws, on every engine: the elements do not fit the shape that they are to have.

    A size that was fixed when the model was exported does not match one that `--dim` gives: a Reshape wants another
    number of elements, a Squeeze removes an axis that has more than one, an Expand meets two sizes of which neither
    is 1. `pack` and `patch` stop here, before anything runs.
    Mend: the sizes that the model was exported for, or another export.
    Source: the operators' own definitions; Reshape-1, Squeeze-1 and Expand-8 of ONNX, and what came after them.
    """

    code = "reshape-count"
    operators = ("Reshape", "Squeeze", "Expand")

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        why = mismatch(node) if node.graph is context.model.graph else None
        return None if why is None else self.finding(node, "throws", why, MEND)
