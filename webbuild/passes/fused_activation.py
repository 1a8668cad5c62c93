"""Activations that ONNX Runtime fused into the operator before them."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.builder import Builder

KNOWN = ("", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "HardSwish", "Clip")
"""Activations that `add_activation` can add as separate nodes."""


def add_activation(add: Builder, x: ir.Value, name: str, parameters: Sequence[float]) -> ir.Value | None:
    """Add the activation of a fused operator as separate nodes; None if the activation is not known."""
    match name, list(parameters):
        case "", _:
            return x
        case "LeakyRelu", [alpha]:
            return add.op(name, x, alpha=alpha)
        case "HardSigmoid", [alpha, beta]:
            return add.op(name, x, alpha=alpha, beta=beta)
        case "Clip", [low, high]:
            return add.op(name, x, add.const(low), add.const(high))
        case "HardSwish", _:
            return add.op("Mul", x, add.op("HardSigmoid", x, alpha=1 / 6, beta=0.5))
        case (("Relu" | "Sigmoid" | "Tanh"), _):
            return add.op(name, x)
    return None
