"""Unary operators: over their range, at its limits, and outside their domain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, make_probe, scalar
from webbuild.probe.random_data import RandomData

_TENTHS = np.array([-2.5, -2, -1.5, -1, -0.5, -0.0, 0, 0.5, 1, 1.5, 2, 2.5, 10, -10], np.float32)
_UNIT = np.array([-1, -0.7, -0.1, 0, 0.3, 0.9, 1], np.float32)
_ABOVE = np.array([1, 1.5, 2, 40], np.float32)
_BELOW = np.array([1e-30, 0.1, 1, 2.5, 1e4, 1e30], np.float32)
_FAR = np.array([100, -100, 88, -88, 1e30, -1e30], np.float32)
_ODD = np.array([np.nan, np.inf, -np.inf, 1], np.float32)

_ANY = """
Abs Atan Ceil Celu Cos Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity LeakyRelu Mish Neg Reciprocal Relu Round
Selu Shrink Sigmoid Sign Sin Softplus Softsign Tan Tanh ThresholdedRelu Asinh Cosh Sinh
"""
_DOMAIN = {"Acos": _UNIT, "Asin": _UNIT, "Acosh": _ABOVE, "Atanh": _UNIT[1:-1], "Log": _BELOW, "Sqrt": _BELOW}
_BOUNDED = ("Atan", "Erf", "Gelu", "HardSwish", "Mish", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh", "Exp", "Elu")
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Gelu tanh": {"approximate": "tanh"},
    "LeakyRelu alpha": {"alpha": 0.2},
    "Elu alpha": {"alpha": 2.0},
    "Celu alpha": {"alpha": 2.0},
    "HardSigmoid alpha": {"alpha": 1 / 6, "beta": 0.5},
    "ThresholdedRelu alpha": {"alpha": 2.0},
    "Shrink lambd": {"lambd": 1.0, "bias": 0.5},
}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in _ANY.split():
        yield make_probe(op, _TENTHS, opset=20)
        yield make_probe(f"{op} nan and infinities", _ODD, opset=20)
    for op, values in _DOMAIN.items():
        yield make_probe(op, values, opset=20)
        yield make_probe(f"{op} outside its domain", np.array([-2, -1.5], np.float32), opset=20)
    for op in _BOUNDED:
        yield make_probe(f"{op} far from zero", _FAR, opset=20)
    for what, attributes in _ATTRIBUTES.items():
        yield make_probe(what, _TENTHS, opset=20, **attributes)
    for op in ("Cos", "Sin"):
        yield make_probe(f"{op} of 1000 and more", np.array([1e3, 1e4, 1e5, 1e6], np.float32), opset=20)
    for op in ("Abs", "BitwiseNot", "Neg", "Not", "Relu", "Sign"):
        yield from _types(draw, op)
    yield from _clip(draw)
    for op in ("IsNaN", "IsInf"):
        yield make_probe(op, _ODD, opset=20)
    yield make_probe("IsInf negative alone", _ODD, opset=20, detect_positive=0)
    yield make_probe("Dropout", _TENTHS)


def _types(draw: RandomData, op: str) -> Iterator[Probe]:
    kinds = {"Not": (np.bool_,), "BitwiseNot": (np.int32, np.uint8)}.get(op, (np.int32, np.int64))
    for kind in kinds:
        x = draw.ints(7, low=0 if kind in (np.uint8, np.bool_) else -3, high=2 if kind is np.bool_ else 4, dtype=kind)
        yield make_probe(f"{op} {np.dtype(kind).name}", x, opset=20)


def _clip(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(7)
    yield make_probe("Clip", x, scalar(0), scalar(1))
    yield make_probe("Clip fed", x, np.array(0, np.float32), np.array(1, np.float32))
    yield make_probe("Clip below alone", x, scalar(0))
    yield make_probe("Clip above alone", x, None, scalar(0))
    yield make_probe("Clip without bounds", x)
    yield make_probe("Clip bounds crossed", x, scalar(1), scalar(0))
    yield make_probe("Clip nan", _ODD, scalar(0), scalar(1))
    yield make_probe("Clip opset 6", x, opset=10, min=0.0, max=1.0)
    yield make_probe("Clip int32", draw.ints(7), scalar(2, np.int32), scalar(5, np.int32))
    yield make_probe("Clip int64", draw.ints(7, dtype=np.int64), scalar(2, np.int64), scalar(5, np.int64))
