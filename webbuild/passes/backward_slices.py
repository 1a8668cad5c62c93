"""Slices that run backwards from inside."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from msgspec import Struct

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, replace
from webbuild.passes._kernels import placement


class BackwardSlices(Pass):
    """Gathers what a Slice takes backwards, unless it begins at the end.

    Why: with a negative step, onnxruntime-web's WebGPU counts from the end of the axis wherever the slice starts: the
    values are wrong, and nothing says so.

    How: a Gather by constant indices takes the same elements. Exact. The other axes are sliced as before.
    """

    code = "backward-slices"
    after = ("fold-constants",)
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each such Slice."""
        edits = []
        for node in nodes_of(model, "Slice"):
            if len(node.inputs) < 5 or placement(model, node, options) == "cpu":
                continue
            where, cuts = f"Slice '{node.name}'", _cuts(node)
            if cuts is None:
                edits.append(self.left(where, "its steps or the size of its data are computed"))
            elif backwards := [cut for cut in cuts if cut.is_wrong]:
                self._rewrite(model, node, cuts)
                axes = ", ".join(str(cut.axis) for cut in backwards)
                edits.append(self.done(where, f"axis {axes} is gathered backwards"))
        return edits

    def _rewrite(self, model: ir.Model, node: ir.Node, cuts: list[_Cut]) -> None:
        add = Builder(model.graph, node, f"{node.name or 'Slice'}/backwards")
        value = node.inputs[0]
        if kept := [cut for cut in cuts if not cut.is_wrong]:
            given = [[cut.start, cut.end, cut.axis, cut.step] for cut in kept]
            value = add.op("Slice", value, *(add.const(list(column), np.int64) for column in zip(*given, strict=True)))
        for cut in cuts:
            if cut.is_wrong:
                places = np.arange(cut.size)[cut.start : None if cut.end < -cut.size else cut.end : cut.step]
                value = add.op("Gather", value, add.const(places, np.int64), axis=cut.axis)
        assert value is not None
        replace(node.outputs[0], value)


class _Cut(Struct, frozen=True):
    """What a Slice takes of an axis of `size`, as numpy understands it; an end before the beginning is none."""

    axis: int
    size: int
    start: int
    end: int
    step: int

    @property
    def is_wrong(self) -> bool:
        start = self.start + self.size if self.start < 0 else self.start
        return self.step < 0 and min(start, self.size - 1) != self.size - 1


def _cuts(node: ir.Node) -> list[_Cut] | None:
    """Return what a Slice takes, None if that or the data's shape is not known; empty where it never runs backwards."""
    steps = constant(node.inputs[4])
    if steps is not None and (steps > 0).all():
        return []
    shape, starts, ends = dims(node.inputs[0]), constant(node.inputs[1]), constant(node.inputs[2])
    axes = np.arange(len(steps)) if steps is not None and node.inputs[3] is None else constant(node.inputs[3])
    if shape is None or starts is None or ends is None or axes is None or steps is None:
        return None
    rows = zip(axes.tolist(), starts.tolist(), ends.tolist(), steps.tolist(), strict=True)
    return [_Cut(axis % len(shape), shape[axis], start, end, step) for axis, start, end, step in rows]
