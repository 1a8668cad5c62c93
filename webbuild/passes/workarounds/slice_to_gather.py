from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, replace_all_uses, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_STEPS = 4


class SliceToGather(Workaround):
    """Slice(x [.., L, ..], start, end, axis, step < 0) -> Gather(x, [start, start + step, ...], axis).

    Defect: the answer is wrong: a Slice with a negative step ignores its start, and counts from the end of the axis.

    Limits: starts, ends, steps and the shape must be constants; if the steps are computed, cpu-fallback applies. A
    Slice that starts at the last element is right and is not rewritten. The other axes are sliced as before.

    Exact: the same elements.

    Source: measured on 1.30.0.
    """

    code = "slice-to-gather"
    finding = "slice-negative-step"
    operators = ("Slice",)
    outcome = "wrong"
    fix = "reverse the whole axis, then slice forwards"
    probe = "slice/step -1 from inside"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        steps_value = node.inputs[_STEPS] if len(node.inputs) > _STEPS else None
        steps = constant(steps_value)
        if steps is None:
            if context.is_constant(steps_value):
                return None
            reason = "its steps are computed, and may be negative"
            return Symptom(
                reason, summary=reason, severity="warning", fix="make them constant", fixed_by="cpu-fallback"
            )
        cuts = _axis_slices(node)
        if not (steps < 0).any() or (cuts is not None and not any(cut.is_affected for cut in cuts)):
            return None
        return Symptom("it runs backwards from inside the axis")

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        return "its steps or the size of its data are computed" if _axis_slices(node) is None else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        cuts, value = _axis_slices(node) or [], node.inputs[0]
        backwards, forwards = ([cut for cut in cuts if cut.is_affected is way] for way in (True, False))
        add = Builder(context.model.graph, node, f"{node.name or 'Slice'}/backwards")
        if forwards:
            bounds = [[cut.start, cut.end, cut.axis, cut.step] for cut in forwards]
            value = add.op("Slice", value, *(add.const(list(column), np.int64) for column in zip(*bounds, strict=True)))
        for cut in backwards:
            start, end = max(cut.start, -cut.size), None if cut.end < -cut.size else cut.end
            places = np.arange(cut.size)[start : end : cut.step]
            value = add.op("Gather", value, add.const(places, np.int64), axis=cut.axis)
        replace_all_uses(node.outputs[0], value)
        return f"axis {', '.join(str(cut.axis) for cut in backwards)} is gathered backwards"


class _AxisSlice(Struct, frozen=True):
    """The slice of an axis of `size`, as in NumPy; but a start below -size means 0, an end below it no end."""

    axis: int
    size: int
    start: int
    end: int
    step: int

    @property
    def is_affected(self) -> bool:
        start = self.start + self.size if self.start < 0 else self.start
        return self.step < 0 and min(start, self.size - 1) != self.size - 1


def _axis_slices(node: ir.Node) -> list[_AxisSlice] | None:
    """Return the slices of a Slice; None if not constant or the shape is not known; empty if all steps are positive."""
    steps = constant(node.inputs[4])
    if steps is not None and (steps > 0).all():
        return []
    shape, starts, ends = static_shape(node.inputs[0]), constant(node.inputs[1]), constant(node.inputs[2])
    axes = np.arange(len(steps)) if steps is not None and node.inputs[3] is None else constant(node.inputs[3])
    if shape is None or starts is None or ends is None or axes is None or steps is None:
        return None
    rows = zip(axes.tolist(), starts.tolist(), ends.tolist(), steps.tolist(), strict=True)
    return [_AxisSlice(axis % len(shape), shape[axis], start, end, step) for axis, start, end, step in rows]
