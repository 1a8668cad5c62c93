"""Bounds that NaN passes through."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Options
from webbuild.passes._decompose import Decomposition, Draft, Form
from webbuild.passes._graph import constant, dims
from webbuild.passes._kernels import placement

_MAKERS = ("Acos", "Acosh", "Asin", "Atanh", "Div", "Log", "Pow", "Sqrt")
"""Operators that make NaN of numbers."""

_SMALL = 1 << 16
"""Elements of an input that may hold NaN: a picture does not."""


class KeptNan(Decomposition):
    """Writes Relu and Clip as Max and Min where they may read NaN.

    Why: the WebGPU kernels of Relu and Clip give 0, or a bound, where the CPU gives NaN. Those of Max and Min look at
    the bits, and keep it.

    How: a Relu is a Max with 0, a Clip a Max with its lower bound and a Min with its upper one. Exact. Only where a
    small input of the graph is read, or what a logarithm, a root or a division gives: other NaNs are no part of an
    ordinary run.
    """

    code = "kept-nan"

    def forms(self) -> Mapping[str, Form]:
        """Return how to write each."""
        return {"Relu": _relu, "Clip": _clip}

    def concerns(self, model: ir.Model, node: ir.Node, options: Options) -> bool:
        """Whether its kernel of the native build may read NaN."""
        native = options.table is not None and options.table.target.build == "webgpu"
        return native and may_be_nan(node.inputs[0]) and placement(model, node, options) == "gpu"


def may_be_nan(value: ir.Value | None) -> bool:
    """Whether a value of floats comes from outside, or from an operator that makes NaN."""
    if value is None or value.dtype not in (ir.DataType.FLOAT, ir.DataType.FLOAT16):
        return False
    producer, shape = value.producer(), dims(value)
    if producer is None:
        small = shape is not None and prod(shape) <= _SMALL
        return value.is_graph_input() and not value.is_initializer() and small
    return producer.op_type in _MAKERS and not _is_harmless(producer)


def _is_harmless(node: ir.Node) -> bool:
    """Whether a division is by stored numbers other than 0, a power by stored whole ones."""
    stored = constant(node.inputs[1]) if node.op_type in ("Div", "Pow") else None
    if stored is None:
        return False
    return bool((stored != 0).all() if node.op_type == "Div" else (stored == np.round(stored)).all())


def _relu(add: Draft, node: ir.Node) -> ir.Value:
    return add.op("Max", node.inputs[0], add.like(node.inputs[0], 0))


def _clip(add: Draft, node: ir.Node) -> ir.Value:
    value = node.inputs[0]
    assert value is not None
    for op, bound in zip(("Max", "Min"), node.inputs[1:], strict=False):
        if bound is not None:
            value = add.op(op, value, bound)
    return value
