"""Recurrent layers: direction, lengths, states, activations, layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Array, Initializer, Probe, make_probe
from webbuild.probe.random_data import RandomData

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_STEPS, _BATCH, _IN, _HIDDEN = 5, 2, 4, 3


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in _GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            yield _layer(draw, op, direction, direction)
        yield _layer(draw, op, "forward", "without bias", bias=False)
        yield _layer(draw, op, "forward", "opset 22", opset=22)
        yield _layer(draw, op, "forward", "lengths", lengths=np.array([3, 5], np.int32))
        yield _layer(draw, op, "forward", "initial state", state=True)
        yield _layer(draw, op, "bidirectional", "bidirectional, lengths", lengths=np.array([3, 5], np.int32))
        yield _layer(draw, op, "forward", "clip", clip=0.5)
        activations = {"LSTM": ["HardSigmoid", "Tanh", "Tanh"], "GRU": ["HardSigmoid", "Tanh"], "RNN": ["Relu"]}[op]
        yield _layer(draw, op, "forward", "activations", activations=activations)
    for before in (0, 1):
        yield _layer(draw, "GRU", "forward", f"linear_before_reset {before}", linear_before_reset=before)
    yield _layer(draw, "LSTM", "forward", "input_forget", input_forget=1)


def _layer(
    draw: RandomData,
    op: str,
    direction: str,
    what: str,
    *,
    bias: bool = True,
    lengths: Array | None = None,
    state: bool = False,
    opset: int = 17,
    **attributes: Any,
) -> Probe:
    directions, gates = 2 if direction == "bidirectional" else 1, _GATES[op]
    inputs: list[Array | Initializer | None] = [
        draw.floats(_STEPS, _BATCH, _IN),
        Initializer(draw.floats(directions, gates * _HIDDEN, _IN)),
        Initializer(draw.floats(directions, gates * _HIDDEN, _HIDDEN)),
        Initializer(draw.floats(directions, 2 * gates * _HIDDEN)) if bias else None,
        lengths,
    ]
    if state:
        inputs += [draw.floats(directions, _BATCH, _HIDDEN) for _ in range(2 if op == "LSTM" else 1)]
    while inputs[-1] is None:
        inputs.pop()
    outputs = 3 if op == "LSTM" else 2
    form = {"hidden_size": _HIDDEN, "direction": direction, **attributes}
    return make_probe(f"{op} {what}", *inputs, opset=opset, outputs=outputs, **form)
