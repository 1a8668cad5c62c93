"""Reshapes that do not come out even."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.finding import Finding
from webbuild.inspection.reshape_check import FIX, find_mismatch
from webbuild.inspection.rules.base import Rule


class ReshapeMismatch(Rule):
    """The run throws, on every engine: the elements do not fit the shape that they are to have.

    A size that was fixed when the model was exported does not match one that `--dim` gives: a Reshape wants another
    number of elements, a Squeeze removes an axis that has more than one, an Expand meets two sizes of which neither
    is 1. `pack` and `patch` stop here, before anything runs.
    Fix: the sizes that the model was exported for, or another export.
    Source: the operators' own definitions; Reshape-1, Squeeze-1 and Expand-8 of ONNX, and what came after them.
    """

    code = "reshape-mismatch"
    operators = ("Reshape", "Squeeze", "Expand")

    def check(self, node: ir.Node, context: InspectionContext) -> Finding | None:
        """See `HeaderRule`."""
        why = find_mismatch(node) if node.graph is context.model.graph else None
        return None if why is None else self.finding(node, "throws", why, FIX)
