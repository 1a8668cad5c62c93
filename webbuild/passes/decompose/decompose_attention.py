from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import is_read, static_shape

_RAW, _CAPPED, _BIASED, _PROBABILITIES = range(4)
"""Values of `qk_matmul_output_mode`: which scores the fourth output returns."""


class DecomposeAttention(Decomposition):
    """`Attention(q, k, v, mask)` -> `MatMul(Softmax(scale q k^T + bias), v)`.

        Attention(q [B, H, L, D], k [B, G, S, D], v [B, G, S, E], mask [L, S])
            ->  MatMul(Softmax(cap tanh(scale q k^T / cap) + bias), v) [B, H, L, E]

    Why: WebGPU has no kernel for the Attention of opset 23 and later, which newer exporters write. Every layer of a
    transformer would run on the CPU, with copies of queries, keys and values.

    How: by its definition: scores, soft cap, mask bias, Softmax, weighted mean of the values.

    - Heads that share keys and values become rows of one product, so keys and values are not repeated.
    - A query whose keys are all masked returns zeros, as in the corrected operator text.

    Limits: fixed shapes. Right to 1e-5 of the largest magnitude, in float16 to 4e-3.

    Source: ONNX's operator text of Attention-23; softmax(q k^T / sqrt(d)) v is Vaswani et al. (arXiv 1706.03762),
    shared keys and values are Ainslie et al. (arXiv 2305.13245).
    """

    code = "decompose-attention"
    tolerance = 1e-5
    outputs = 4

    def decomposers(self) -> Decomposers:
        return {"Attention": _decompose}


def _decompose(add: RewriteContext, node: ir.Node) -> list[ir.Value]:
    operands = [*node.inputs, *[None] * 4]
    is_flat, inputs = _heads(add, node)
    query, keys, values = inputs
    past = 0
    if operands[4] is not None and operands[5] is not None:
        # cache [B, G, P, D] in front of the new keys [B, G, S - P, D]
        past = _static_sizes(operands[4])[2]
        keys, values = add.op("Concat", operands[4], keys, axis=2), add.op("Concat", operands[5], values, axis=2)
    mode, cap = node.attributes.get_int("qk_matmul_output_mode", _RAW), node.attributes.get_float("softcap", 0.0)
    shown = len(node.outputs) > 3 and is_read(node.outputs[3])
    if (shown and mode == _RAW and cap) or "softmax_precision" in node.attributes:
        raise NotApplicableError("it has softmax_precision, or returns the scores before a soft cap")
    is_causal = node.attributes.get_int("is_causal", 0)
    if operands[6] is not None and (is_causal or past):
        raise NotApplicableError("it has nonpad_kv_seqlen together with is_causal or a cache")
    if any(name.endswith("window_size") and attribute.as_int() >= 0 for name, attribute in node.attributes.items()):
        raise NotApplicableError("it has a sliding window")
    size = _AttentionSizes(node, is_flat, past)
    scale = node.attributes.get_float("scale", 1 / math.sqrt(size.head))
    # [B, H, L, D] -> [B, G, H / G * L, D] @ [B, G, D, S] -> [B, G, H / G * L, S] -> [B, H, L, S]
    grouped = size.split_heads(add, add.op("Mul", query, add.like(query, scale)), size.groups, size.head)
    product = add.op("MatMul", grouped, add.op("Transpose", keys, perm=[0, 1, 3, 2]))
    stages = [size.split_heads(add, product, size.heads, size.keys)] * 2
    if cap:
        capped = add.op("Tanh", add.op("Div", stages[_RAW], add.like(query, cap)))
        stages[_CAPPED] = add.op("Mul", capped, add.like(query, cap))
    bias, alive = _bias(add, node, operands[3], operands[6], query, size)
    stages.append(stages[_CAPPED] if bias is None else add.op("Add", stages[_CAPPED], bias))
    shares = add.op("Softmax", stages[_BIASED], axis=-1)
    stages.append(shares if alive is None else add.op("Where", alive, shares, add.like(query, 0)))
    # [B, G, H / G * L, S] @ [B, G, S, E] -> [B, H, L, E]
    mean = add.op("MatMul", size.split_heads(add, shares, size.groups, size.keys), values)
    mean = size.split_heads(add, mean, size.heads, size.value)
    result = mean if alive is None else add.op("Where", alive, mean, add.like(query, 0))
    if is_flat:
        # [B, H, L, E] -> [B, L, H, E] -> [B, L, H * E]
        transposed = add.op("Transpose", result, perm=[0, 2, 1, 3])
        result = add.reshape(transposed, [size.batch, size.queries, -1])
    return [result, keys, values, stages[mode]][: len(node.outputs)]


class _AttentionSizes:
    """The sizes of an Attention."""

    def __init__(self, node: ir.Node, is_flat: bool, past: int) -> None:
        query, keys, values = (_static_sizes(value) for value in node.inputs[:3])
        attributes = node.attributes
        self.batch, self.queries, self.keys = query[0], query[-2], keys[-2] + past
        self.heads = attributes.get_int("q_num_heads", 1) if is_flat else query[1]
        self.groups = attributes.get_int("kv_num_heads", 1) if is_flat else keys[1]
        self.head = query[-1] // self.heads if is_flat else query[-1]
        self.value = values[-1] // self.groups if is_flat else values[-1]
        self.past = past
        if self.heads % self.groups or 0 in (*query, *keys, *values):
            raise NotApplicableError("it is empty, or its query heads are not a multiple of its key heads")

    def split_heads(self, add: RewriteContext, value: ir.Value, heads: int, last: int) -> ir.Value:
        """Reshape a value to [batch, heads, rows, last]: with fewer heads, each has the rows of several."""
        if self.heads == self.groups:
            return value
        shape = [self.batch, heads, self.heads // heads * self.queries, last]
        return add.reshape(value, shape)


def _static_sizes(value: ir.Value | None) -> list[int]:
    shape = static_shape(value)
    if shape is None:
        raise NotApplicableError("its shapes are not fixed")
    return shape


def _heads(add: RewriteContext, node: ir.Node) -> tuple[bool, list[ir.Value]]:
    """Return whether the inputs are [B, L, H * D], and queries, keys and values as [B, H, L, D]."""
    split = []
    is_flat = len(_static_sizes(node.inputs[0])) == 3
    for value, name in zip(node.inputs[:3], ("q_num_heads", "kv_num_heads", "kv_num_heads"), strict=True):
        assert value is not None
        if not is_flat:
            split.append(value)
            continue
        batch, rows, _ = _static_sizes(value)
        # [B, L, H * D] -> [B, L, H, D] -> [B, H, L, D]
        apart = add.reshape(value, [batch, rows, node.attributes.get_int(name, 1), -1])
        split.append(add.op("Transpose", apart, perm=[0, 2, 1, 3]))
    return is_flat, split


def _bias(
    add: RewriteContext,
    node: ir.Node,
    mask: ir.Value | None,
    lengths: ir.Value | None,
    query: ir.Value,
    size: _AttentionSizes,
) -> tuple[ir.Value | None, ir.Value | None]:
    """Return the bias of all masks, None for no mask; and which queries have a key, None for all."""
    assert query.dtype is not None
    lowest = float(np.finfo(query.dtype.numpy()).min)
    if node.attributes.get_int("is_causal", 0) and size.past and size.keys - size.past != size.queries:
        raise NotApplicableError("it is causal with a cache, and its new keys are not as many as its queries")
    # query i attends to the keys up to i + past: bool [L, S]
    seen = np.tril(np.ones((size.queries, size.keys), np.bool_), size.past)
    is_causal = bool(node.attributes.get_int("is_causal", 0))
    if mask is None and lengths is None:
        return (add.like(query, np.where(seen, 0, lowest)) if is_causal else None), None
    never = add.like(query, -np.inf)
    bias, rank = add.like(query, 0), 0
    if mask is not None:
        bias, rank = _mask_bias(add, mask, query, size), len(_static_sizes(mask))
    if lengths is not None:
        # number of keys of each batch [B, 1, 1, 1] compared with positions [S]
        counts = add.reshape(add.cast_to_float(lengths), [-1, 1, 1, 1])
        there = add.op("Less", add.const(np.arange(size.keys), np.float32), counts)
        bias, rank = add.op("Where", there, bias, never), 4
    if is_causal:
        bias = add.op("Where", add.const(seen, np.bool_), bias, never)
    # Softmax of a row of -inf is NaN: use the lowest finite number, and zeros in the result
    best = add.reduce("ReduceMax", bias, max(rank, 2 if is_causal else 1) - 1)
    floor = add.like(query, lowest)
    clamped = add.op("Where", add.op("GreaterOrEqual", bias, floor), bias, floor)
    return clamped, add.op("GreaterOrEqual", best, floor)


def _mask_bias(add: RewriteContext, mask: ir.Value, query: ir.Value, size: _AttentionSizes) -> ir.Value:
    """Return the bias of a mask [.., L, S' <= S], padded to S keys: the added keys are masked."""
    shape, never = _static_sizes(mask), add.like(query, -np.inf)
    if not shape or not 0 < shape[-1] <= size.keys:
        raise NotApplicableError("its mask is longer than its keys, or empty")
    bias = add.op("Where", mask, add.like(query, 0), never) if mask.dtype == ir.DataType.BOOL else mask
    if shape[-1] == size.keys:
        return bias
    rest = np.full([*shape[:-1], size.keys - shape[-1]], -np.inf)
    return add.op("Concat", bias, add.like(query, rest), axis=len(shape) - 1)
