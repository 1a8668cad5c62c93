from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import has_kernel
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.rewrite import (
    constant_number,
    find_nodes,
    known_rank,
    producer_of,
    read_axes,
    reduction_axes,
    replace_output,
    static_shape,
)

_SMALL = float(np.float32(1e-10))
"""Largest lower bound of a norm that only guards against division by zero; larger ones change results."""


class FuseLpNormalization(Pass):
    """`x / Clip(ReduceL2(x), 1e-12)` -> `LpNormalization<p = 2>(x)`.

        Div(x, Expand(Clip(ReduceL2<axis>(x), 1e-12)))    ->  LpNormalization<axis, p = 2>(x)

    Why: one shader instead of four, for the queries and the keys of cosine attention, as in Swin V2 and XCiT.

    Limits: float32, one axis, a lower bound of the norm of at most 1e-10.

    Exact except for rounding: accurate to 1e-6. Zeros give zeros in both; a norm below the bound is not raised to it.
    """

    code = "fuse-lp-normalization"
    target = "webgpu"
    after = ("canonicalize", "fold-constants")
    tolerance = 1e-6

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Div"):
            x = node.inputs[0]
            axis = None if x is None or not _keeps_shape(node, x) else _norm_axis(node.inputs[1], x)
            if x is None or axis is None or not has_kernel(model, "LpNormalization", "float", options):
                continue
            add = Builder(model.graph, node, f"{node.name or 'Div'}/norm")
            replace_output(node, add.op("LpNormalization", x, axis=axis, p=2))
            remove_unused(model.graph, node)
            rewrites.append(self.applied(node, "is an LpNormalization"))
        return rewrites


def _keeps_shape(node: ir.Node, x: ir.Value) -> bool:
    """Whether a division has the shape of x: an Expand may broadcast its divisor to more rows."""
    expanded = producer_of(node.inputs[1], "Expand")
    shape = None if expanded is None else producer_of(expanded.inputs[1], "Shape")
    if expanded is None or (shape is not None and shape.inputs[0] is x and read_axes(shape) == slice(None)):
        return True
    return static_shape(x) is not None and static_shape(node.outputs[0]) == static_shape(x)


def _norm_axis(value: ir.Value | None, x: ir.Value) -> int | None:
    """Return the axis along which a value is the L2 norm of x with a lower bound; None for any other value."""
    if (expanded := producer_of(value, "Expand")) is not None:
        value = expanded.inputs[0]
    bounded = producer_of(value, "Clip", "Max")
    if bounded is None or x.dtype != ir.DataType.FLOAT or len(bounded.inputs) - bounded.inputs.count(None) != 2:
        return None
    least, norm = constant_number(bounded.inputs[1]), producer_of(bounded.inputs[0], "ReduceL2")
    if least is None or norm is None or not 0 < least <= _SMALL or norm.inputs[0] is not x:
        return None
    axes, rank = reduction_axes(norm), known_rank(x)
    keeps_dims = norm.attributes.get_int("keepdims", 1) == 1
    same = known_rank(value) == rank
    return axes[0] if axes is not None and len(axes) == 1 and keeps_dims and same else None
