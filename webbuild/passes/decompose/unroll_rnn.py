from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from webbuild.passes.decomposition import Decomposer, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant, static_shape

_MAX_STEPS = 64
"""Steps that are written out."""

_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu", "sigmoid": "Sigmoid"}


class UnrollRnn(Decomposition):
    """Writes an RNN as a product for all steps at once, and one more product and an activation for each step.

        RNN(x [T, B, I], w [1, H, I], r [1, H, H], b [1, 2 H], h0 [1, B, H])
            ->  h_t = f(x_t w^T + wb + rb + h_(t-1) r^T),  Y [T, 1, B, H] = Concat(h_1, ..., h_T)

    Why: WebGPU has kernels for LSTM and GRU, and none for RNN.

    How: by its definition, for sequences of a fixed length of at most 64, all of which count. Right to 1e-5 of the
    largest magnitude.

    Limits: no clip, no sequence lengths, layout 0. Source: ONNX's operator text of RNN.
    """

    code = "unroll-rnn"
    tolerance = 1e-5
    outputs = 2

    def decomposers(self) -> Mapping[str, Decomposer]:
        return {"RNN": _unroll}


def _unroll(add: RewriteContext, node: ir.Node) -> list[ir.Value]:
    x, shape = node.inputs[0], static_shape(node.inputs[0])
    lengths = constant(node.inputs[4]) if len(node.inputs) > 4 and node.inputs[4] is not None else None
    is_batch_first = node.attributes.get_int("layout", 0) != 0
    if shape is None or 0 in shape or shape[0] > _MAX_STEPS or is_batch_first:
        raise NotApplicableError("it is not of a fixed number of steps up to 64, or has its batch first")
    counts = len(node.inputs) < 5 or node.inputs[4] is None or (lengths is not None and (lengths == shape[0]).all())
    if not counts or "clip" in node.attributes:
        raise NotApplicableError("its sequences end early, or it is clipped")
    where = node.attributes.get_string("direction", "forward")
    ways = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[where]
    names = node.attributes.get_strings("activations", ["Tanh"] * len(ways))
    if len(names) != len(ways) or any(name.lower() not in _ACTIVATIONS for name in names):
        raise NotApplicableError("it has another activation than Tanh, Relu and Sigmoid")
    sides = [
        _direction(add, node, x, shape[0], side, _ACTIVATIONS[name.lower()], is_back=is_back)
        for side, (is_back, name) in enumerate(zip(ways, names, strict=True))
    ]
    rows = [add.op("Concat", *each, axis=0) for each, _ in sides]
    lasts = [add.unsqueeze(last, 0) for _, last in sides]
    whole = [add.unsqueeze(each, 1) for each in rows]
    several = len(sides) > 1
    every = add.op("Concat", *whole, axis=1) if several else whole[0]
    return [every, add.op("Concat", *lasts, axis=0) if several else lasts[0]][: len(node.outputs)]


def _direction(
    add: RewriteContext, node: ir.Node, x: ir.Value | None, steps: int, side: int, activation: str, *, is_back: bool
) -> tuple[list[ir.Value], ir.Value]:
    """Return the states [1, batch, hidden] in the order of the sequence, and the last one [batch, hidden]."""
    operands: list[ir.Value | None] = [*node.inputs, *[None] * 3]
    pick = add.const(side, np.int64)
    inward, across = (
        add.op("Transpose", add.op("Gather", weights, pick, axis=0), perm=[1, 0]) for weights in operands[1:3]
    )
    # all steps at once: [T, B, I] @ [I, H] -> [T, B, H]
    drive = add.op("MatMul", x, inward)
    if operands[3] is not None:
        # b [2 H] = wb [H], rb [H]: both are added
        for part in add.split(add.op("Gather", operands[3], pick, axis=0), 2, 0):
            drive = add.op("Add", drive, part)
    state = None if operands[5] is None else add.op("Gather", operands[5], pick, axis=0)
    states: list[ir.Value] = []
    for step in reversed(range(steps)) if is_back else range(steps):
        # [T, B, H] -> [B, H]
        total = add.op("Gather", drive, add.const(step, np.int64), axis=0)
        if state is not None:
            total = add.op("Add", total, add.op("MatMul", state, across))
        state = add.op(activation, total)
        states.append(add.unsqueeze(state, 0))
    assert state is not None
    return states[::-1] if is_back else states, state
