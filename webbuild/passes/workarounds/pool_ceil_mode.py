from __future__ import annotations

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import find_nodes, static_shape


class PoolCeilMode(Pass):
    """MaxPool<ceil_mode = 1, pads>(x) -> MaxPool<pads + missing>(x), and AveragePool alike.

    Why: the meaning of `ceil_mode` changed in opset 19, so downgrade-opset cannot convert such a pool to an older
    opset, and its current opset has no GPU kernel. If the sizes divide evenly, as in the shortcuts of RT-DETR's
    backbone, `ceil_mode` changes nothing.

    How: if the output size is the same without the attribute, the pass removes it. If the last window extends past the
    end, the pass pads the end explicitly: a maximum, and a mean that ignores padding, do not change.

    Limits: a mean that counts its padding is not rewritten, because its divisor would change. Exact.
    """

    code = "pool-ceil-mode"
    after = ("fix-dynamic-dims", "fold-constants")
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "AveragePool", "MaxPool"):
            if not node.attributes.get_int("ceil_mode", 0):
                continue
            more = _missing_padding(node)
            if isinstance(more, str):
                rewrites.append(self.skipped(node, more))
                continue
            if any(more):
                pads = node.attributes.get_ints("pads", [0] * 2 * len(more))
                ends = [pad + extra for pad, extra in zip(pads[len(more) :], more, strict=True)]
                node.attributes["pads"] = ir.AttrInt64s("pads", [*pads[: len(more)], *ends])
            del node.attributes["ceil_mode"]
            done = f"{more} more is padded at the end" if any(more) else "it changes nothing"
            rewrites.append(self.applied(node, f"ceil_mode is removed: {done}"))
        return rewrites


class _PoolAxis(Struct, frozen=True):
    """One spatial axis of a pool: the input and output sizes, the window, and the padding before and after."""

    source: int
    result: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int

    @property
    def missing(self) -> int:
        """How far the last window extends past the padding at the end."""
        reach = (self.result - 1) * self.stride + self.dilation * (self.kernel - 1) + 1
        return max(0, reach - self.source - self.before - self.after)

    @property
    def rounded_down(self) -> int:
        """The output size with the missing padding added, and without ceil_mode."""
        length = self.source + self.before + self.after + self.missing
        return (length - self.dilation * (self.kernel - 1) - 1) // self.stride + 1


def _missing_padding(node: ir.Node) -> list[int] | str:
    """Return the padding to add at the end of each axis, or why the pool cannot be rewritten."""
    source, result = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    if source is None or result is None:
        return "its sizes are not known"
    if node.attributes.get_string("auto_pad", "NOTSET") not in ("NOTSET", ""):
        return "it has auto_pad"
    axes = _axes(node, source, result)
    if any(axis.rounded_down != axis.result for axis in axes):
        return "its output size does not match its window"
    missing = [axis.missing for axis in axes]
    if not any(missing):
        return missing
    if node.op_type == "AveragePool" and node.attributes.get_int("count_include_pad", 0) != 0:
        return "its mean counts the padding, which would grow"
    if any((axis.result - 1) * axis.stride >= axis.source + axis.before for axis in axes):
        return "its last window starts in the padding"
    if any(axis.missing and axis.after + axis.missing >= axis.kernel for axis in axes):
        return "its padding would be as large as its window"
    return missing


def _axes(node: ir.Node, source: list[int], result: list[int]) -> list[_PoolAxis]:
    kernel = node.attributes.get_ints("kernel_shape", [])
    rank = len(kernel)
    strides, dilations = (node.attributes.get_ints(name, [1] * rank) for name in ("strides", "dilations"))
    pads = node.attributes.get_ints("pads", [0] * 2 * rank)
    sizes = zip(source[2:], result[2:], kernel, strides, dilations, pads[:rank], pads[rank:], strict=True)
    return [_PoolAxis(*numbers) for numbers in sizes]
