"""Random weights instead of files in the archive: a hash of the element's index, as in `node/random-weights.ts`.

Each large tensor becomes integers of -127 to 127 times a power of two near its spread, which float16 stores exactly.
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
"""Tensors with fewer elements are stored in the archive unchanged."""
_DTYPES: dict[int, np.dtype[Any]] = {onnx.TensorProto.FLOAT: np.dtype("<f4"), onnx.TensorProto.FLOAT16: np.dtype("<f2")}
_SPREAD = 127 / math.sqrt(3)
"""The standard deviation of the integers."""
_SMALLEST = 2.0**-14
"""The smallest normal float16."""


def replace_weights(model: Path, file: Path, steps: dict[str, float]) -> list[dict[str, Any]]:
    """Overwrite the large tensors of a model's weight file and return them as fields of `FilledTensor`.

    `steps` stores the multiplier of each name, so that a float16 graph gets the float32 graph's numbers.
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
    """Return the power of two that gives noise of about this standard deviation."""
    return max(_SMALLEST, 2.0 ** round(math.log2(spread / _SPREAD))) if spread > 0 else _SMALLEST


def clear(file: Path, filled: list[dict[str, Any]]) -> None:
    """Overwrite the noise with zeros, which compress to almost nothing in the archive."""
    data = np.memmap(file, np.uint8, "r+")
    for tensor in filled:
        size = tensor["count"] * (4 if tensor["dtype"] == "float32" else 2)
        data[tensor["offset"] : tensor["offset"] + size] = 0
    data.flush()


def noise(count: int, seed: int, step: float) -> NDArray[np.float64]:
    """Return the numbers of a tensor, from the top byte of MurmurHash3's finalizer."""
    bits = np.arange(count, dtype=np.uint32) + np.uint32(seed)
    bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    level = ((bits ^ (bits >> np.uint32(16))) >> np.uint32(24)).astype(np.float64)
    return (np.maximum(level, 1.0) - 128) * step
