"""Weights that are not carried: noise from a hash of the element's index, as `node/made-up-weights.ts` makes it.

Each large tensor becomes whole numbers of -127 to 127 times a power of two near its spread: float16 holds them exactly.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

MIN_ELEMENTS = 4096
"""Smaller tensors are carried as they are."""
_DTYPES: dict[int, np.dtype[Any]] = {onnx.TensorProto.FLOAT: np.dtype("<f4"), onnx.TensorProto.FLOAT16: np.dtype("<f2")}
_SPREAD = 127 / math.sqrt(3)
"""The standard deviation of the whole numbers."""
_SMALLEST = 2.0**-14
"""The smallest normal float16."""


def make_up(model: Path, file: Path, steps: dict[str, float]) -> list[dict[str, Any]]:
    """Overwrite the large tensors of a model's weight file and return them as `FilledTensor` has them.

    `steps` keeps what each name is multiplied by, so that a float16 graph gets the float32 graph's numbers.
    """
    filled = []
    data = np.memmap(file, np.uint8, "r+")
    for tensor in onnx.load(model, load_external_data=False).graph.initializer:
        where = {entry.key: entry.value for entry in tensor.external_data}
        dtype, count = _DTYPES.get(tensor.data_type), math.prod(tensor.dims)
        if where.get("location") != file.name or dtype is None or count < MIN_ELEMENTS:
            continue
        offset, seed = int(where.get("offset", 0)), zlib.crc32(tensor.name.encode())
        values = data[offset : offset + count * dtype.itemsize].view(dtype)
        step = steps.setdefault(tensor.name, power_of_two(float(values.astype(np.float64).std())))
        values[:] = noise(count, seed, step)
        name = "float32" if dtype.itemsize == 4 else "float16"
        filled.append({"offset": offset, "count": count, "dtype": name, "step": step, "seed": seed})
    data.flush()
    return filled


def power_of_two(spread: float) -> float:
    """Return the step that gives noise about this standard deviation."""
    return max(_SMALLEST, 2.0 ** round(math.log2(spread / _SPREAD))) if spread > 0 else _SMALLEST


def clear(file: Path, filled: list[dict[str, Any]]) -> None:
    """Write zeros where noise is filled in, which an archive holds in next to nothing."""
    data = np.memmap(file, np.uint8, "r+")
    for tensor in filled:
        size = tensor["count"] * (4 if tensor["dtype"] == "float32" else 2)
        data[tensor["offset"] : tensor["offset"] + size] = 0
    data.flush()


def noise(count: int, seed: int, step: float) -> NDArray[np.float64]:
    """Return the numbers of a tensor: the finalizer of MurmurHash3, its uppermost byte."""
    bits = np.arange(count, dtype=np.uint32) + np.uint32(seed)
    bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    level = ((bits ^ (bits >> np.uint32(16))) >> np.uint32(24)).astype(np.float64)
    return (np.maximum(level, 1.0) - 128) * step
