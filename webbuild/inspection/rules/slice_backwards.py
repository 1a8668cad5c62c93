"""Slices that run backwards."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.findings import Finding
from webbuild.inspection.context import Context, given, numbers, shape
from webbuild.inspection.rules._base import Rule


class SliceBackwards(Rule):
    """The answer is wrong: a Slice with a negative step counts from the end of the axis, wherever it starts.

    From the last element on it is right, except on the default entry's build, which loses the last one.
    Mend: reverse all of it first, then take every so manieth; or Gather with constant indices. Where the steps are
    computed, force-cpu; on the default entry's build the model steps to WASM.
    Source: measured on 1.24.3 to 1.31.0-dev.
    """

    code = "slice-backwards"
    operators = ("Slice",)
    outcome = "wrong"
    passes = ("backward-slices",)

    def check(self, node: ir.Node, context: Context) -> Finding | None:
        """See `Rule`."""
        sizes = shape(node.inputs[0])
        steps, starts = numbers(node, 4), numbers(node, 1)
        if not context.on_gpu(node):
            return None
        if steps is None and not context.is_known(given(node, 4)):
            why = "its steps are computed, and may be negative"
            return self.finding(node, why, why, "make them constant", severity="warning", mended_by="force-cpu")
        if steps is None or not (steps < 0).any():
            return None
        axes = numbers(node, 3)
        order = list(range(len(steps))) if axes is None else axes.tolist()
        if starts is not None and sizes is not None and not context.jsep:
            inside = [
                step < 0 and _clamped(start, sizes[axis]) != sizes[axis] - 1
                for start, step, axis in zip(starts.tolist(), steps.tolist(), order, strict=False)
            ]
            if not any(inside):
                return None
        return self.finding(
            node,
            "wrong answer",
            "it runs backwards from inside the axis",
            "reverse the whole axis, then slice forwards",
        )


def _clamped(start: int, size: int) -> int:
    return min(start + size if start < 0 else start, size - 1)
