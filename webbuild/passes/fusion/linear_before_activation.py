from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.passes.analysis.activations import activation_after
from webbuild.passes.analysis.reshapes import after_reshapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.rewrite import constant, find_nodes, only_reader, replace_output, static_shape

_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class LinearBeforeActivation(Pass):
    """`Relu(MatMul(x, w [K, N]) + b)` -> `Relu(Gemm<transB = 1>(x, w' [N, K], b))`.

    Why: on WebGPU, `activation-in-conv` turns the Gemm into a Conv with the same weights. Both graphs then have the
    same weights, which a bundle stores once.

    Limits: fixed shapes, constant weights that nothing else reads.

    Exact except for the order of a sum: accurate to 1e-5.
    """

    code = "linear-before-activation"
    after = ("canonicalize", "fold-constants", "fold-scale", "fold-batch-norm", "merge-projections", "fuse-gelu")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "MatMul"):
            linear = _linear(node)
            if linear is None or not activation_after(after_reshapes(linear.end.outputs[0])):
                continue
            _write(model.graph, linear, needs_bias=model.opset_imports[""] < 11)
            rewrites.append(self.applied(node, "is rewritten as a Gemm with transposed weights"))
        return rewrites


class Linear(Struct, frozen=True):
    """A product with constant weights [K, N], its bias (None for none), and its last node."""

    product: ir.Node
    weights: NDArray[np.floating]
    bias: ir.Value | None
    end: ir.Node


def _linear(node: ir.Node) -> Linear | None:
    x, weight = node.inputs
    result, weights = node.outputs[0], constant(weight)
    if weight is None or weights is None or weights.ndim != 2 or len(weight.uses()) != 1 or weight.dtype not in _FLOATS:
        return None
    rows, shape = static_shape(x), static_shape(result)
    if not rows or len(rows) < 2 or not shape or 0 in (*shape, *weights.shape):
        return None
    if (add := only_reader(result, "Add")) is not None:
        bias = next((value for value in add.inputs if value is not result), None)
        stored = constant(bias)
        if stored is not None and stored.shape == weights.shape[1:]:
            return Linear(node, weights, bias, add)
    return Linear(node, weights, None, node)


def _write(graph: ir.Graph, linear: Linear, *, needs_bias: bool) -> None:
    x = linear.product.inputs[0]
    rows, shape = static_shape(x) or [], static_shape(linear.end.outputs[0]) or []
    add = Builder(graph, linear.end, f"{linear.product.name or 'MatMul'}/linear")
    flat = x if len(rows) == 2 else add.reshape(x, [math.prod(rows[:-1]), rows[-1]])
    weights = add.const(np.ascontiguousarray(linear.weights.T), linear.weights.dtype)
    bias = linear.bias
    if bias is None and needs_bias:  # before opset 11, Gemm requires a bias
        bias = add.const(np.zeros(shape[-1:]), linear.weights.dtype)
    inputs = [flat, weights] if bias is None else [flat, weights, bias]
    product = add.op("Gemm", *inputs, transB=1)
    replace_output(linear.end, product if len(rows) == 2 else add.reshape(product, shape))
    remove_unused(graph, linear.end)
