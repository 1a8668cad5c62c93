from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import static_shape


class DecomposeNorms(Decomposition):
    """`LRN(x)` -> `x / (bias + alpha AveragePool(x^2)) ^ beta`; `GroupNormalization` -> `InstanceNormalization`.

        LRN<size, alpha, beta, bias>(x [N, C, ...])  ->  x / (bias + alpha * AveragePool(x^2 [N, 1, C, HW])) ^ beta
        GroupNormalization<G>(x [N, C, ...], s, b)   ->  InstanceNormalization(x [N, G, -1]) [N, C, ...] * s [C] + b [C]

    Why: neither has a GPU kernel, and both occur between convolutions.

    How: an AveragePool computes LRN's mean of squares over neighbouring channels. GroupNormalization becomes an
    InstanceNormalization with each group as one channel, then a scale and a bias.

    Limits: fixed shapes. Accurate to 1e-5 of the largest magnitude.

    Source: ONNX's operator texts; Krizhevsky et al. (2012), section 3.3; Wu and He (arXiv 1803.08494).
    """

    code = "decompose-norms"
    tolerance = 1e-5

    def decomposers(self) -> Decomposers:
        return {"LRN": _lrn, "GroupNormalization": _group}


def _lrn(add: RewriteContext, node: ir.Node) -> ir.Value:
    """Return x / (bias + alpha * mean of squares) ** beta; the mean divides by `size` at the borders too."""
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    if shape is None or len(shape) < 3 or 0 in shape:
        raise NotApplicableError("its shape is not fixed")
    size = node.attributes.get_int("size", 1)
    before = (size - 1) // 2
    # [N, C, H, W] -> [N, 1, C, H W]: channels become the rows of a one-channel image
    squares = add.reshape(add.op("Mul", x, x), [shape[0], 1, shape[1], -1])
    pads = [before, 0, size - 1 - before, 0]
    mean = add.op("AveragePool", squares, kernel_shape=[size, 1], pads=pads, count_include_pad=1)
    scaled = add.op("Mul", add.reshape(mean, shape), add.like(x, node.attributes.get_float("alpha", 1e-4)))
    base = add.op("Add", scaled, add.like(x, node.attributes.get_float("bias", 1.0)))
    return add.op("Div", x, add.op("Pow", base, add.like(x, node.attributes.get_float("beta", 0.75))))


def _group(add: RewriteContext, node: ir.Node) -> ir.Value:
    x, scale, bias = node.inputs
    shape, groups = static_shape(x), node.attributes.get_int("num_groups", 1)
    if shape is None or len(shape) < 3 or 0 in shape:
        raise NotApplicableError("its shape is not fixed")
    # [N, C, H, W] -> [N, G, C / G * H W]
    grouped = add.reshape(x, [shape[0], groups, -1])
    ones, zeros = add.like(x, np.ones(groups)), add.like(x, np.zeros(groups))
    epsilon = node.attributes.get_float("epsilon", 1e-5)
    normal = add.reshape(add.op("InstanceNormalization", grouped, ones, zeros, epsilon=epsilon), shape)
    broadcast_shape = [shape[1], *[1] * (len(shape) - 2)]
    return add.op("Add", add.op("Mul", normal, add.reshape(scale, broadcast_shape)), add.reshape(bias, broadcast_shape))
