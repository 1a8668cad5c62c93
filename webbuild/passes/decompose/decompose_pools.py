from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext


class DecomposePools(Decomposition):
    """Writes LpPool with AveragePool, and pools of everything as reductions.

        LpPool<p, k>(x [N, C, H, W])   ->  (AveragePool<k>(|x|^p) * k1 k2) ^ (1 / p)
        GlobalLpPool<p>(x)             ->  ReduceSum(|x|^p, (2, 3)) ^ (1 / p)   [N, C, 1, 1]
        GlobalAveragePool(x)           ->  ReduceMean(x, (2, 3))                [N, C, 1, 1]
        GlobalMaxPool(x)               ->  ReduceMax(x, (2, 3))                 [N, C, 1, 1]

    Why: LpPool and GlobalLpPool have no GPU kernel, GlobalAveragePool and GlobalMaxPool none from opset 22 on.

    How: a mean of powers, times their number, is their sum. Right to 1e-5 of the largest magnitude.
    """

    code = "decompose-pools"
    tolerance = 1e-5

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {
            "LpPool": _lp,
            "GlobalLpPool": _global_lp,
            "GlobalAveragePool": lambda add, node: add.reduce("ReduceMean", node.inputs[0], _axes(node)),
            "GlobalMaxPool": lambda add, node: add.reduce("ReduceMax", node.inputs[0], _axes(node)),
        }


def _axes(node: ir.Node) -> list[int]:
    x = node.inputs[0]
    if x is None or x.shape is None or len(x.shape) < 3:
        raise NotApplicableError("its rank is not known")
    return list(range(2, len(x.shape)))


def _power(add: RewriteContext, x: ir.Value | None, p: int) -> ir.Value:
    if p == 2:
        return add.op("Mul", x, x)
    size = add.op("Abs", x)
    return size if p == 1 else add.op("Pow", size, add.like(size, p))


def _root(add: RewriteContext, x: ir.Value, p: int) -> ir.Value:
    if p == 1:
        return x
    return add.op("Sqrt", x) if p == 2 else add.op("Pow", x, add.like(x, 1 / p))


def _lp(add: RewriteContext, node: ir.Node) -> ir.Value:
    if node.attributes.get_int("ceil_mode", 0):
        raise NotApplicableError("rounds its size up")
    kept = ["kernel_shape", "strides", "pads", "auto_pad"]
    if any(step != 1 for step in node.attributes.get_ints("dilations", [])):
        if add.opset < 19:
            raise NotApplicableError("its dilations are none that AveragePool has")
        kept.append("dilations")
    attributes = {name: node.attributes[name].value for name in kept if name in node.attributes}
    p, kernel = node.attributes.get_int("p", 2), node.attributes.get_ints("kernel_shape", [])
    mean = add.op("AveragePool", _power(add, node.inputs[0], p), count_include_pad=1, **attributes)
    return _root(add, add.op("Mul", mean, add.like(mean, np.float32(prod(kernel)))), p)


def _global_lp(add: RewriteContext, node: ir.Node) -> ir.Value:
    p, axes = node.attributes.get_int("p", 2), _axes(node)
    return _root(add, add.reduce("ReduceSum", _power(add, node.inputs[0], p), axes), p)
