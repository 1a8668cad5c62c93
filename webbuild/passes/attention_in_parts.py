"""Attention, as one operator has it since opset 23."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes._decompose import Decomposition, Draft, Form, UnfitError
from webbuild.passes._graph import dims

_RAW, _CAPPED, _BIASED, _SHARES = range(4)
"""What the fourth output holds, by `qk_matmul_output_mode`."""


class AttentionInParts(Decomposition):
    """Writes Attention as MatMul, Softmax and MatMul.

    Why: WebGPU has no kernel for the Attention of opset 23 and later, which newer exporters write: every layer of a
    transformer runs on the CPU, with copies of queries, keys and values.

    How: by its definition: scores, a soft cap, the bias of masks, Softmax, the mean of the values. Heads that share
    keys and values are rows of one product, so nothing is repeated. A query that may look at nothing gives zeros, as
    the standard has it since its erratum. Right to 1e-5 of the largest magnitude, in float16 to 4e-3. Needs
    fixed shapes.
    """

    code = "attention-in-parts"
    outputs = 4

    def forms(self) -> Mapping[str, Form]:
        """Return how to write it."""
        return {"Attention": _in_parts}


def _in_parts(add: Draft, node: ir.Node) -> list[ir.Value]:
    given = [*node.inputs, *[None] * 4]
    is_flat, inputs = _heads(add, node)
    query, keys, values = inputs
    past = 0
    if given[4] is not None and given[5] is not None:
        past = _sizes(given[4])[2]
        keys, values = add.op("Concat", given[4], keys, axis=2), add.op("Concat", given[5], values, axis=2)
    mode, cap = node.attributes.get_int("qk_matmul_output_mode", _RAW), node.attributes.get_float("softcap", 0.0)
    shown = len(node.outputs) > 3 and bool(node.outputs[3].uses() or node.outputs[3].is_graph_output())
    if (shown and mode == _RAW and cap) or "softmax_precision" in node.attributes:
        raise UnfitError("computes in another precision")
    is_causal = node.attributes.get_int("is_causal", 0)
    if given[6] is not None and (is_causal or past):
        raise UnfitError("is causal, or has a cache, and counts the keys of each batch")
    if any(name.endswith("window_size") and attribute.as_int() >= 0 for name, attribute in node.attributes.items()):
        raise UnfitError("looks through a window")
    size = _Size(node, is_flat, past)
    scale = node.attributes.get_float("scale", 1 / math.sqrt(size.head))
    grouped = size.by(add, add.op("Mul", query, add.like(query, scale)), size.groups, size.head)
    product = add.op("MatMul", grouped, add.op("Transpose", keys, perm=[0, 1, 3, 2]))
    stages = [size.by(add, product, size.heads, size.keys)] * 2
    if cap:
        capped = add.op("Tanh", add.op("Div", stages[_RAW], add.like(query, cap)))
        stages[_CAPPED] = add.op("Mul", capped, add.like(query, cap))
    bias, alive = _bias(add, node, given[3], given[6], query, size)
    stages.append(stages[_CAPPED] if bias is None else add.op("Add", stages[_CAPPED], bias))
    shares = add.op("Softmax", stages[_BIASED], axis=-1)
    stages.append(shares if alive is None else add.op("Where", alive, shares, add.like(query, 0)))
    mean = add.op("MatMul", size.by(add, shares, size.groups, size.keys), values)
    mean = size.by(add, mean, size.heads, size.value)
    result = mean if alive is None else add.op("Where", alive, mean, add.like(query, 0))
    if is_flat:
        turned = add.op("Transpose", result, perm=[0, 2, 1, 3])
        result = add.op("Reshape", turned, add.const([size.batch, size.queries, -1], np.int64))
    return [result, keys, values, stages[mode]][: len(node.outputs)]


class _Size:
    """The lengths in an Attention."""

    def __init__(self, node: ir.Node, is_flat: bool, past: int) -> None:
        query, keys, values = (_sizes(value) for value in node.inputs[:3])
        attributes = node.attributes
        self.batch, self.queries, self.keys = query[0], query[-2], keys[-2] + past
        self.heads = attributes.get_int("q_num_heads", 1) if is_flat else query[1]
        self.groups = attributes.get_int("kv_num_heads", 1) if is_flat else keys[1]
        self.head = query[-1] // self.heads if is_flat else query[-1]
        self.value = values[-1] // self.groups if is_flat else values[-1]
        self.past = past
        if self.heads % self.groups or 0 in (*query, *keys, *values):
            raise UnfitError("is empty, or its heads do not share evenly")

    def by(self, add: Draft, value: ir.Value, heads: int, last: int) -> ir.Value:
        """Return a value as [batch, heads, rows, last]; fewer heads have the rows of several."""
        if self.heads == self.groups:
            return value
        shape = [self.batch, heads, self.heads // heads * self.queries, last]
        return add.op("Reshape", value, add.const(shape, np.int64))


def _sizes(value: ir.Value | None) -> list[int]:
    shape = dims(value)
    if shape is None:
        raise UnfitError("its shapes are not fixed")
    return shape


def _heads(add: Draft, node: ir.Node) -> tuple[bool, list[ir.Value]]:
    """Return whether heads are laid side by side, and queries, keys and values by heads [batch, heads, rows, size]."""
    split = []
    is_flat = len(_sizes(node.inputs[0])) == 3
    for value, name in zip(node.inputs[:3], ("q_num_heads", "kv_num_heads", "kv_num_heads"), strict=True):
        assert value is not None
        if not is_flat:
            split.append(value)
            continue
        batch, rows, _ = _sizes(value)
        apart = add.op("Reshape", value, add.const([batch, rows, node.attributes.get_int(name, 1), -1], np.int64))
        split.append(add.op("Transpose", apart, perm=[0, 2, 1, 3]))
    return is_flat, split


def _bias(
    add: Draft, node: ir.Node, mask: ir.Value | None, lengths: ir.Value | None, query: ir.Value, size: _Size
) -> tuple[ir.Value | None, ir.Value | None]:
    """Return what masks add to the scores, and which queries may look at anything where that is not known."""
    assert query.dtype is not None
    lowest = float(np.finfo(query.dtype.numpy()).min)
    if node.attributes.get_int("is_causal", 0) and size.past and size.keys - size.past != size.queries:
        raise UnfitError("is causal with a cache, and has not as many new keys as queries")
    seen = np.tril(np.ones((size.queries, size.keys), np.bool_), size.past)
    is_causal = bool(node.attributes.get_int("is_causal", 0))
    if mask is None and lengths is None:
        return (add.like(query, np.where(seen, 0, lowest)) if is_causal else None), None
    never = add.like(query, -np.inf)
    bias, rank = add.like(query, 0), 0
    if mask is not None:
        bias, rank = _of_all_keys(add, mask, query, size), len(_sizes(mask))
    if lengths is not None:
        counts = add.op("Reshape", add.counted(lengths), add.const([-1, 1, 1, 1], np.int64))
        there = add.op("Less", add.const(np.arange(size.keys), np.float32), counts)
        bias, rank = add.op("Where", there, bias, never), 4
    if is_causal:
        bias = add.op("Where", add.const(seen, np.bool_), bias, never)
    best = add.reduce("ReduceMax", bias, max(rank, 2 if is_causal else 1) - 1)
    floor = add.like(query, lowest)
    kept = add.op("Where", add.op("GreaterOrEqual", bias, floor), bias, floor)
    return kept, add.op("GreaterOrEqual", best, floor)


def _of_all_keys(add: Draft, mask: ir.Value, query: ir.Value, size: _Size) -> ir.Value:
    """Return what a mask adds to the scores. Keys behind the end of a shorter one are looked at by none."""
    shape, never = _sizes(mask), add.like(query, -np.inf)
    if not shape or not 0 < shape[-1] <= size.keys:
        raise UnfitError("its mask is longer than its keys, or empty")
    bias = add.op("Where", mask, add.like(query, 0), never) if mask.dtype == ir.DataType.BOOL else mask
    if shape[-1] == size.keys:
        return bias
    rest = np.full([*shape[:-1], size.keys - shape[-1]], -np.inf)
    return add.op("Concat", bias, add.like(query, rest), axis=len(shape) - 1)
