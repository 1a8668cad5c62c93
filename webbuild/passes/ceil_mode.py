"""Pools whose size is rounded up."""

from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import dims, nodes_of


class CeilMode(Pass):
    """Writes a pool that rounds its size up as one that does not.

    Why: the default entry of onnxruntime-web throws at every AveragePool and MaxPool with `ceil_mode`, though where
    the sizes divide, as in the shortcuts of RT-DETR's backbone, rounding up changes nothing.

    How: where the size is the same without it, the attribute goes. Where the last window reaches over the edge, as
    much is padded at the end: a maximum and a mean of what is there take no notice of it, and to an LpPool it is
    zeros. A mean that counts its padding divides by another number then, and is left alone. Exact.
    """

    code = "ceil-mode"
    after = ("freeze-dimensions", "fold-constants")

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite every pool whose sizes are known."""
        edits = []
        for node in nodes_of(model, "AveragePool", "MaxPool", "LpPool"):
            if not node.attributes.get_int("ceil_mode", 0):
                continue
            where = f"{node.op_type} '{node.name}'"
            more = _missing(node)
            if isinstance(more, str):
                edits.append(self.left(where, more))
                continue
            if any(more):
                pads = node.attributes.get_ints("pads", [0] * 2 * len(more))
                ends = [pad + extra for pad, extra in zip(pads[len(more) :], more, strict=True)]
                node.attributes["pads"] = ir.AttrInt64s("pads", [*pads[: len(more)], *ends])
            del node.attributes["ceil_mode"]
            done = f"{more} more is padded at the end" if any(more) else "it changes nothing"
            edits.append(self.done(where, f"ceil_mode is gone: {done}"))
        return edits


class _Axis(Struct, frozen=True):
    """One axis of a pool: how long what goes in and comes out is, and how the window lies."""

    source: int
    result: int
    kernel: int
    stride: int
    dilation: int
    before: int
    behind: int

    @property
    def missing(self) -> int:
        """How far the last window reaches over the padding at the end."""
        reach = (self.result - 1) * self.stride + self.dilation * (self.kernel - 1) + 1
        return max(0, reach - self.source - self.before - self.behind)

    @property
    def rounded_down(self) -> int:
        """The size of the result with as much padding as is missing, and without ceil_mode."""
        room = self.source + self.before + self.behind + self.missing
        return (room - self.dilation * (self.kernel - 1) - 1) // self.stride + 1


def _missing(node: ir.Node) -> list[int] | str:
    """Return what has to be padded at the end of each axis, or why that cannot be."""
    source, result = dims(node.inputs[0]), dims(node.outputs[0])
    if source is None or result is None:
        return "its sizes are not known"
    if node.attributes.get_string("auto_pad", "NOTSET") not in ("NOTSET", ""):
        return "its padding is automatic"
    axes = _axes(node, source, result)
    if any(axis.rounded_down != axis.result for axis in axes):
        return "its sizes are not those of its window"
    missing = [axis.missing for axis in axes]
    if not any(missing):
        return missing
    if node.op_type == "AveragePool" and node.attributes.get_int("count_include_pad", 0) != 0:
        return "its mean counts the padding, and would count more"
    if any((axis.result - 1) * axis.stride >= axis.source + axis.before for axis in axes):
        return "its last window lies in the padding"
    if any(axis.missing and axis.behind + axis.missing >= axis.kernel for axis in axes):
        return "no pool may be padded by as much as its window is long"
    return missing


def _axes(node: ir.Node, source: list[int], result: list[int]) -> list[_Axis]:
    kernel = node.attributes.get_ints("kernel_shape", [])
    rank = len(kernel)
    strides, dilations = (node.attributes.get_ints(name, [1] * rank) for name in ("strides", "dilations"))
    pads = node.attributes.get_ints("pads", [0] * 2 * rank)
    sizes = zip(source[2:], result[2:], kernel, strides, dilations, pads[:rank], pads[rank:], strict=True)
    return [_Axis(*numbers) for numbers in sizes]
