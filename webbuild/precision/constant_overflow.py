"""Constants that overflow or underflow in float16."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.rewrite import constant_tensor

FP16_MAX = float(np.finfo(np.float16).max)
FP16_MIN_NORMAL = float(np.finfo(np.float16).smallest_normal)
"""A GPU may flush smaller float16 values to zero: WGSL allows it."""
MAX_PARAMETER_SIZE = 16
"""A constant with at most this many elements is a parameter, like an epsilon: each element matters."""
_SUBNORMAL_LIMIT = 2.0**-8
"""Largest fraction of a weight's L2 norm that may be lost."""


def is_stored_constant(value: ir.Value) -> bool:
    """Whether a value is stored in the model file: an initializer or a Constant."""
    if value.is_initializer():
        return not value.is_graph_input()
    maker = value.producer()
    return maker is not None and maker.op_type == "Constant" and maker.domain in ("", "ai.onnx")


def float32_array(value: ir.Value) -> NDArray[np.float32] | None:
    """Return the elements of a float32 constant, None for any other value."""
    if value.dtype is not ir.DataType.FLOAT or not is_stored_constant(value):
        return None
    tensor = constant_tensor(value)
    return None if tensor is None else np.asarray(tensor.numpy(), np.float32)


def overflows(array: NDArray[Any]) -> bool:
    """Whether a finite element exceeds the range of float16."""
    return bool((np.isfinite(array) & (np.abs(array) > FP16_MAX)).any())


def to_float16(array: NDArray[Any]) -> NDArray[np.float16]:
    """Return an array cast to float16; larger values become infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(array).astype(np.float16)


def overflow_reason(array: NDArray[np.float32]) -> str:
    """Return why a constant must not become float16, empty if it may."""
    if overflows(array):
        return f"its constant {_worst(array):.3g} overflows: float16 ends at 65504"
    small = (array != 0) & (np.abs(array) < FP16_MIN_NORMAL)
    if array.size <= MAX_PARAMETER_SIZE:
        if small.any():
            return f"its constant {_least(array):.2g} may become 0 in float16"
        return ""
    if not small.any():
        return ""
    length = float(np.linalg.norm(array.astype(np.float64)))
    lost = float(np.linalg.norm(array[small].astype(np.float64)))
    return "many of its weights may become 0 in float16" if lost > _SUBNORMAL_LIMIT * length else ""


def distance_from_one(array: NDArray[np.float32]) -> float:
    """Return the smallest distance from 1 of a parameter that float16 rounds to 1, 0 if there is none."""
    near = array[(to_float16(array) == 1) & (array != 1)] if array.size <= MAX_PARAMETER_SIZE else array[:0]
    return float(np.abs(1 - near).min()) if near.size else 0.0


def _worst(array: NDArray[np.float32]) -> float:
    finite = array[np.isfinite(array)]
    return float(finite[np.abs(finite).argmax()])


def _least(array: NDArray[np.float32]) -> float:
    nonzero = array[array != 0]
    return float(nonzero[np.abs(nonzero).argmin()])
