"""Rounding errors inside a GPU's float16 kernels: a bound for each element, computed in the emulation graph.

A kernel adds in float16. Each of n additions rounds a partial sum with a relative error of at most u = 2^-11, and the
errors add up like a random walk. With terms t, sum y and q^2 = sum(t^2), the square of the partial sum after k
additions is about k^2 / n^2 y^2 + k / n q^2, so the walk has the length u sqrt(n (y^2 / 3 + q^2 / 2)). Tiling only
shortens it.

    Conv(x, w)      bound = SUMS u sqrt(n (y^2 / 3 + Conv(x^2, w^2) / 2))
    Sigmoid(x)      bound = u (3 |y|)
    LayerNorm(x)    bound = u (3 |y| + 2 mean |y|)
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import static_shape
from webbuild.precision.fp16_backends.graph_builder import GraphBuilder
from webbuild.precision.op_classes import MATMUL_OPS

_ROUNDING = 2.0**-11
"""u: the largest relative rounding error of float16, half of the distance to the next number."""
SUMS = 2.0
"""Error bound of a sum, in walks. On lavapipe the errors of the shipped models' layers are 0.2 to 0.7 walks (RMS), and
99 % of them are within two walks: the bound is likely, not certain.

With normally distributed errors of 0.7 walks, a Mask2Former graph passed that is wrong in Chromium."""

_RELATIVE_AND_ABSOLUTE = {
    "Erf": (1, 8), "Gelu": (2, 4), "Tanh": (1, 2), "Sin": (1, 2), "Cos": (1, 2), "Log": (2, 2), "Softplus": (2, 1),
    "Mish": (2, 1), "Elu": (2, 1), "Selu": (2, 1), "Celu": (2, 1), "HardSwish": (2, 1), "LogSoftmax": (2, 4),
    "Sigmoid": (3, 0), "HardSigmoid": (2, 0), "Softmax": (6, 0), "Pow": (4, 0), "QuickGelu": (4, 1),
}  # fmt: skip
"""Error bound in multiples of u: relative to the result, and absolute. Erf is a polynomial of five terms."""
SAME_SIGN_OPS = frozenset({"Erf", "Gelu"})
"""Operators with errors that depend only on the element: similar elements have similar errors."""
_EXACTLY_ROUNDED = frozenset({
    "Add", "Sub", "Mul", "Sum", "Mean", "Cast", "CastLike", "If", "Loop", "Mod", "Range",
    "ScatterElements", "ScatterND",
})  # fmt: skip
_NORMS = frozenset({
    "LayerNormalization", "SkipLayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization",
    "SkipSimplifiedLayerNormalization", "InstanceNormalization", "GroupNormalization", "LpNormalization",
    "BatchNormalization", "GroupNorm",
})  # fmt: skip
_SUMS = frozenset({
    "ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
    "AveragePool", "GlobalAveragePool", "CumSum", "LpPool", "GlobalLpPool",
})  # fmt: skip
_MEANS = frozenset({"ReduceMean", "AveragePool", "GlobalAveragePool"})
_SEQUENTIAL_TERMS, _THREADS = 32, 64
"""Numbers that a reduction kernel adds sequentially; beyond that, this many threads each add a part."""


def error_bound(node: ir.Node, result: ir.Value, build: GraphBuilder) -> ir.Value | None:
    """Return an error bound of a result, in its shape or broadcastable to it; None if the result has no error.

    Args:
        node: the float32 node that emulates a float16 kernel.
        result: one of its outputs.
        build: adds nodes after it.
    """
    bound: Callable[[ir.Node, ir.Value, GraphBuilder], ir.Value] | None = None
    if node.op_type in MATMUL_OPS:
        bound = _of_product
    elif node.op_type in _SUMS:
        bound = _of_sum
    elif node.op_type in _NORMS:
        bound = _of_norm
    elif node.op_type not in _EXACTLY_ROUNDED and not _is_nearest(node):
        bound = _of_function
    return None if bound is None else bound(node, result, build)


def _of_product(node: ir.Node, result: ir.Value, build: GraphBuilder) -> ir.Value:
    """Return the bound of a sum of products: the same operator on squared inputs computes q^2."""
    factors = _factors(node)
    squares = build.copy_of(node, [build.square(value) for value in factors])
    if node.op_type == "Gemm":
        squares = build.scaled(squares, node.attributes.get_float("alpha", 1.0) ** 2)
    return _walk(result, squares, _terms_of_product(node, build), build)


def _factors(node: ir.Node) -> list[ir.Value]:
    """Return the factors of a node, without the bias."""
    factors = [value for value in node.inputs if value is not None]
    return factors if node.op_type == "Einsum" else factors[:2]


def _terms_of_product(node: ir.Node, build: GraphBuilder) -> ir.Value:
    """Return the number of products per element of a result; without shapes, the same operator on ones counts them."""
    if (known := _known_terms_of_product(node)) is not None:
        return build.number(known)
    counts = build.copy_of(node, [build.ones_like(value) for value in _factors(node)])
    alpha = node.attributes.get_float("alpha", 1.0) if node.op_type == "Gemm" else 1.0
    return build.scaled(counts, 1 / alpha) if alpha else counts


def _known_terms_of_product(node: ir.Node) -> int | None:
    """Return the number of products per element of a result, None if the shapes are unknown."""
    first, second = (static_shape(value) for value in node.inputs[:2])
    if node.op_type == "Conv":
        return prod(second[1:]) if second else None
    if node.op_type == "ConvTranspose":
        strides = prod(node.attributes.get_ints("strides", [1]))
        return max(1, second[0] * prod(second[2:]) // max(1, strides)) if second else None
    if node.op_type == "Einsum":
        if first is None or second is None:
            return None
        left, _, right = node.attributes.get_string("equation", "").replace(" ", "").partition("->")
        sizes = dict(zip("".join(left.split(",")), [*first, *second], strict=False))
        return prod(size for letter, size in sizes.items() if letter not in right)
    if node.op_type == "Gemm" and node.attributes.get_int("transA", False):
        return first[0] if first else None
    return first[-1] if first else None


def _of_sum(node: ir.Node, result: ir.Value, build: GraphBuilder) -> ir.Value:
    """Return the bound of a sum or mean of single terms."""
    value = node.inputs[0]
    assert value is not None
    terms = _terms_of_sum(node, value, build)
    steps = terms
    if node.op_type not in ("AveragePool", "LpPool", "CumSum"):
        steps = build.op("Min", terms, build.shifted(build.scaled(terms, 1 / _THREADS), _SEQUENTIAL_TERMS))
    if node.op_type not in (*_MEANS, "ReduceSum", "CumSum"):
        share = build.shifted(build.op("Sqrt", steps), 1)
        return build.scaled(build.op("Mul", build.op("Abs", result), share), SUMS * _ROUNDING)
    squares = build.copy_of(node, [build.square(value), *node.inputs[1:]])
    return _walk(result, build.op("Div", squares, terms) if node.op_type in _MEANS else squares, steps, build)


def _terms_of_sum(node: ir.Node, value: ir.Value, build: GraphBuilder) -> ir.Value:
    """Return the maximum number of terms of a sum."""
    if node.op_type in ("AveragePool", "LpPool"):
        return build.number(prod(node.attributes.get_ints("kernel_shape", [1])))
    before, after = static_shape(value), static_shape(node.outputs[0])
    if node.op_type == "CumSum":
        axis = node.inputs[1]
        assert axis is not None
        return build.float32(build.op("Gather", build.op("Shape", value), axis))
    if before is None or after is None:
        return build.op("Div", build.size(value), build.size(node.outputs[0]))
    return build.number(max(1, prod(before) // max(1, prod(after))))


def _walk(result: ir.Value, squares: ir.Value, terms: ir.Value, build: GraphBuilder) -> ir.Value:
    """Return SUMS u sqrt(n (y^2 / 3 + q^2 / 2))."""
    both = build.op("Add", build.scaled(build.square(result), 1 / 3), build.scaled(squares, 1 / 2))
    walk = build.op("Sqrt", build.op("Abs", build.op("Mul", both, terms)))
    return build.scaled(walk, SUMS * _ROUNDING)


def _of_norm(node: ir.Node, result: ir.Value, build: GraphBuilder) -> ir.Value:
    """Return u (3 |y| + 2 mean |y|): the error of the mean adds to every element."""
    size = build.op("Abs", result)
    rank = len(static_shape(result) or (1, 1, 1))
    first = 2 if node.op_type in ("InstanceNormalization", "GroupNormalization", "GroupNorm") and rank > 2 else rank - 1
    axes = build.constant(np.arange(first, rank, dtype=np.int64))
    mean = build.op("ReduceSum", size, axes)
    terms = prod((static_shape(result) or [1] * rank)[first:])
    return build.op("Add", build.scaled(size, 3 * _ROUNDING), build.scaled(mean, 2 * _ROUNDING / max(1, terms)))


def _is_nearest(node: ir.Node) -> bool:
    """Whether a node is a nearest-neighbour Resize, which only moves elements."""
    return node.op_type == "Resize" and node.attributes.get_string("mode", "nearest") == "nearest"


def _of_function(node: ir.Node, result: ir.Value, build: GraphBuilder) -> ir.Value:
    relative, absolute = _RELATIVE_AND_ABSOLUTE.get(node.op_type, (1, 0))
    if node.op_type == "Exp" and node.inputs[0] is not None:  # rounding x * log2(e) changes e^x by u |x| e^x
        share = build.shifted(build.op("Abs", node.inputs[0]), 2)
        return build.scaled(build.op("Mul", build.op("Abs", result), share), _ROUNDING)
    scaled = build.scaled(build.op("Abs", result), relative * _ROUNDING)
    return build.shifted(scaled, absolute * _ROUNDING) if absolute else scaled
