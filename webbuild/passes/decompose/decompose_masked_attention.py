from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.decompose.base import NotApplicableError
from webbuild.passes.rewrite import input_value, is_read, replace_output, static_shape

_MASK = 3
"""Index of the mask: the number of keys of each batch, int32 [B], or 1 for each key that counts, int32 [B, S]."""
_FILTER = -10000.0
"""Default bias of a masked key."""


class DecomposeMaskedAttention(Pass):
    """ONNX Runtime's `Attention(x, w, b, mask)` -> `MatMul(Softmax(scale q k^T + bias), v)`.

        Attention(x [B, S, C], w [C, 3 D], b [3 D], mask [B] or [B, S])
            ->  q, k, v = Split(x w + b) [B, H, S, D / H]
                MatMul(Softmax(scale q k^T + Where(mask, 0, mask_filter_value)), v) [B, S, D]

    Why: the GPU kernel of Attention takes no mask. Optimum's levels O2 to O4 and ONNX Runtime's transformer optimizer
    write one Attention with a mask for each layer of a text encoder, which runs on the CPU, between two copies.

    Limits: fixed shapes; no past, causal mask, rotary embedding or other bias. Right to 1e-5 of the largest magnitude.

    Source: onnxruntime's ContribOperators.md.
    """

    code = "decompose-masked-attention"
    after = ("downgrade-opset",)
    target = "webgpu"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        return [
            self._rewrite(model, node)
            for node in list(model.graph)
            if is_masked_attention(node) and is_read(node.outputs[0])
        ]

    def _rewrite(self, model: ir.Model, node: ir.Node) -> Rewrite:
        try:
            sizes = _sizes(node)
        except NotApplicableError as reason:
            return self.skipped(node, str(reason))
        add = Builder(model.graph, node, f"{node.name or node.op_type}/plain", model.graph.opset_imports[""])
        result = _attention(add, node, *sizes)
        result.shape, result.type = node.outputs[0].shape, node.outputs[0].type
        replace_output(node, result)
        return self.applied(node, "written as MatMul and Softmax, with its mask as a bias")


def is_masked_attention(node: ir.Node) -> bool:
    """Whether a node is ONNX Runtime's Attention with a mask."""
    return (node.domain, node.op_type) == ("com.microsoft", "Attention") and input_value(node, _MASK) is not None


def _sizes(node: ir.Node) -> tuple[list[int], list[int], int]:
    """Return the sizes of input [B, S, C] and mask, and the width D of queries, keys and values.

    Raises:
        NotApplicableError: the node has other inputs or attributes than those of an encoder's layer.
    """
    shape, weights, mask = (static_shape(input_value(node, index)) for index in (0, 1, _MASK))
    if shape is None or weights is None or mask is None:
        raise NotApplicableError("its shapes are not fixed")
    listed = node.attributes.get_ints("qkv_hidden_sizes", [])
    flags = any(node.attributes.get_int(name, 0) for name in ("unidirectional", "do_rotary"))
    other = any(input_value(node, index) is not None for index in range(_MASK + 1, len(node.inputs)))
    if other or flags or len(set(listed)) > 1 or any(map(is_read, node.outputs[1:])):
        raise NotApplicableError("it has a past, a bias, a causal mask, or values of another width than its keys")
    if mask not in ([shape[0]], shape[:2]):
        raise NotApplicableError("its mask is neither [batch] nor [batch, keys]")
    return shape, mask, weights[1] // 3


def _attention(add: Builder, node: ir.Node, shape: list[int], mask: list[int], width: int) -> ir.Value:
    x, weight, bias = (input_value(node, index) for index in range(3))
    assert x is not None
    assert x.dtype is not None
    batch, keys, _ = shape
    heads = node.attributes.get_int("num_heads", 1)
    merged = add.op("MatMul", x, weight)  # [B, S, 3 D]
    if bias is not None:
        merged = add.op("Add", merged, bias)
    # [B, S, D] -> [B, S, H, D / H] -> [B, H, S, D / H], keys [B, H, D / H, S]
    orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    query, key, value = (
        add.op("Transpose", add.reshape(part, [batch, keys, heads, -1]), perm=order)
        for part, order in zip(add.split_sizes(merged, [width] * 3, 2), orders, strict=True)
    )
    scale = node.attributes.get_float("scale", 0.0) or 1 / math.sqrt(width // heads)
    scores = add.op("MatMul", add.op("Mul", query, add.like(x, scale)), key)  # [B, H, S, S]
    counted = add.reshape(input_value(node, _MASK), [batch, 1, 1, *(mask[1:] or [1])])
    there = (
        add.op("Less", add.const(np.arange(keys), np.int32), counted)
        if len(mask) == 1
        else add.op("Greater", counted, add.const(0, np.int32))
    )
    lowest = max(node.attributes.get_float("mask_filter_value", _FILTER), float(np.finfo(x.dtype.numpy()).min))
    masked = add.op("Add", scores, add.op("Where", there, add.like(x, 0), add.like(x, lowest)))
    mean = add.op("MatMul", add.op("Softmax", masked, axis=-1), value)  # [B, H, S, D / H]
    return add.reshape(add.op("Transpose", mean, perm=[0, 2, 1, 3]), [batch, keys, width])
