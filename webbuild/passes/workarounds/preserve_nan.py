from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.decompose.base import Decomposers, RewriteContext
from webbuild.passes.rewrite import constant, is_small_input
from webbuild.passes.workarounds.base import DefectContext, DefectDecomposition, Symptom

_NAN_PRODUCING_OPS = ("Acos", "Acosh", "Asin", "Atanh", "Div", "Log", "Pow", "Sqrt")
"""Operators that return NaN for some finite inputs."""


class PreserveNan(DefectDecomposition):
    """Relu(x) -> Max(x, 0); Clip(x, low, high) -> Min(Max(x, low), high).

    Defect: NaN is not propagated: Relu and Clip return a bound on the GPU, and NaN on the CPU.

    Why: the GPU kernels of Relu and Clip return 0, or a bound, for NaN. The kernels of Max and Min test the bits, and
    keep NaN.

    Limits: only nodes that read a small input of the graph, or the result of a logarithm, a root or a division. An
    ordinary run has no other NaNs.

    Exact: all other values are the same.

    Source: measured on 1.30.0; WGSL, "floating point evaluation".
    """

    code = "preserve-nan"
    finding = "nan-not-propagated"
    operators = ("Relu", "Clip")
    severity = "note"
    outcome = "wrong"
    fix = "keep NaN out of the model"
    probe = "elementwise/Clip nan"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        value = node.inputs[0]
        if value is None or not _may_be_nan(value):
            return None
        producer = value.producer()
        reason = f"'{value.name}' is an input of the graph, and may hold NaN"
        if producer is not None:
            reason = f"{producer.op_type} makes NaN of some numbers"
        return Symptom(reason, summary=f"NaN becomes a bound of {node.op_type}")

    def decomposers(self) -> Decomposers:
        return {"Relu": _relu, "Clip": _clip}


def _may_be_nan(value: ir.Value | None) -> bool:
    """Whether a float value is a small graph input, or comes from an operator that may return NaN."""
    if value is None or value.dtype not in (ir.DataType.FLOAT, ir.DataType.FLOAT16):
        return False
    producer = value.producer()
    if producer is None:
        return is_small_input(value)
    return producer.op_type in _NAN_PRODUCING_OPS and not _is_harmless(producer)


def _is_harmless(node: ir.Node) -> bool:
    """Whether a Div is by nonzero constants, or a Pow by constant integers."""
    stored = constant(node.inputs[1]) if node.op_type in ("Div", "Pow") else None
    if stored is None:
        return False
    return bool((stored != 0).all() if node.op_type == "Div" else (stored == np.round(stored)).all())


def _relu(add: RewriteContext, node: ir.Node) -> ir.Value:
    return add.op("Max", node.inputs[0], add.like(node.inputs[0], 0))


def _clip(add: RewriteContext, node: ir.Node) -> ir.Value:
    value = node.inputs[0]
    assert value is not None
    for op, bound in zip(("Max", "Min"), node.inputs[1:], strict=False):
        if bound is not None:
            value = add.op(op, value, bound)
    return value
