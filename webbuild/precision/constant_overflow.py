"""Constants that overflow or underflow in float16."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.rewrite import constant_tensor

FP16_MAX = float(np.finfo(np.float16).max)
FP16_MIN_NORMAL = float(np.finfo(np.float16).smallest_normal)
"""Below this a GPU may take a float16 for zero: WGSL leaves it free."""
MAX_PARAMETER_SIZE = 16
"""Elements up to which a constant is a parameter, like an epsilon, of which each element counts."""
_SUBNORMAL_LIMIT = 2.0**-8
"""How much of the length of a weight may be lost."""


def is_stored_constant(value: ir.Value) -> bool:
    """Whether a value stands in the file."""
    if value.is_initializer():
        return not value.is_graph_input()
    maker = value.producer()
    return maker is not None and maker.op_type == "Constant" and maker.domain in ("", "ai.onnx")


def float32_array(value: ir.Value) -> NDArray[np.float32] | None:
    """Return the elements of a constant of float32, None for anything else."""
    if value.dtype is not ir.DataType.FLOAT or not is_stored_constant(value):
        return None
    tensor = constant_tensor(value)
    return None if tensor is None else np.asarray(tensor.numpy(), np.float32)


def overflows(array: NDArray[Any]) -> bool:
    """Whether a finite element is beyond float16."""
    return bool((np.isfinite(array) & (np.abs(array) > FP16_MAX)).any())


def to_float16(array: NDArray[Any]) -> NDArray[np.float16]:
    """Return an array in float16; what is beyond becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(array).astype(np.float16)


def overflow_reason(array: NDArray[np.float32]) -> str:
    """Return why a constant must not become float16, empty where it may."""
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
    """Return how far a parameter is from 1 that float16 makes 1, 0 where there is none."""
    near = array[(to_float16(array) == 1) & (array != 1)] if array.size <= MAX_PARAMETER_SIZE else array[:0]
    return float(np.abs(1 - near).min()) if near.size else 0.0


def _worst(array: NDArray[np.float32]) -> float:
    finite = array[np.isfinite(array)]
    return float(finite[np.abs(finite).argmax()])


def _least(array: NDArray[np.float32]) -> float:
    there = array[array != 0]
    return float(there[np.abs(there).argmin()])
