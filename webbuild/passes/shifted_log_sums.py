"""Logarithms of sums of exponentials that are too large."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, constant, dims, nodes_of, opset_of, replace
from webbuild.passes._kernels import placement


class ShiftedLogSums(Pass):
    """Takes the largest number out of a ReduceLogSumExp, and adds it to the result.

    Why: the WebGPU kernel sums the exponentials as they are. From 89 on they are infinite, and so is its result, where
    the CPU gives the right one. Scores and energies are often larger.

    How: the maximum, kept finite, is subtracted before the exponentials and added after the logarithm. Right to 1e-6 of
    the largest magnitude. Axes must be constants.
    """

    code = "shifted-log-sums"
    after = ("empty-tensors", "fold-constants", "lower-opset")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Shift each."""
        edits = []
        for node in nodes_of(model, "ReduceLogSumExp"):
            x = node.inputs[0]
            if x is None or x.dtype is None or not x.dtype.is_floating_point():
                continue
            if placement(model, node, options) != "gpu" or 0 in (dims(x) or ()):
                continue
            where = f"ReduceLogSumExp '{node.name}'"
            axes = _axes(node, len(x.shape or []))
            if axes is None:
                edits.append(self.left(where, "its axes are computed, or none"))
                continue
            add = Builder(model.graph, node, f"{node.name or 'ReduceLogSumExp'}/shifted")
            result = _shifted(add, node, axes, opset_of(model))
            result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
            replace(node.outputs[0], result)
            edits.append(self.done(where, "its largest number is taken out first"))
        return edits


def _axes(node: ir.Node, rank: int) -> list[int] | None:
    given = node.inputs[1] if len(node.inputs) > 1 else None
    stored = constant(given)
    if given is not None and stored is None:
        return None
    keeps_all = node.attributes.get_int("noop_with_empty_axes", 0)
    named = node.attributes.get_ints("axes", []) if stored is None else stored.tolist()
    if keeps_all and not named:
        return None
    return [axis % rank for axis in named] or list(range(rank)) or None


def _shifted(add: Builder, node: ir.Node, axes: list[int], opset: int) -> ir.Value:
    x = node.inputs[0]
    assert x is not None
    assert x.dtype is not None
    dtype = x.dtype.numpy()
    most = float(np.finfo(dtype).max)

    def largest(keepdims: int) -> ir.Value:
        found = add.reduce("ReduceMax", x, axes, keepdims)
        if opset < 11:
            low, high = add.const(-most, dtype), add.const(most, dtype)
            return add.op("Min", add.op("Max", found, low), high)  # the Clip of then has no GPU kernel
        return add.op("Clip", found, add.const(-most, dtype), add.const(most, dtype))

    keepdims = node.attributes.get_int("keepdims", 1)
    shift = largest(1)
    total = add.reduce("ReduceSum", add.op("Exp", add.op("Sub", x, shift)), axes, keepdims)
    return add.op("Add", add.op("Log", total), shift if keepdims else largest(0))
