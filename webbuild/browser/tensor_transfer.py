"""Transfer of tensors as bytes to a page, and in chunks from it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK_BYTES = 8 << 20
"""Bytes per call."""


def to_little_endian_bytes(array: NDArray[Any]) -> bytes:
    """Return an array's elements in row-major order and little-endian, as in JavaScript's typed arrays."""
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C").tobytes()


def fetch_bytes(size: int, piece: Callable[[int, int], str]) -> bytes:
    """Return `size` bytes from a page; `piece(offset, length)` returns at most `length` of them as base64."""
    return b"".join(base64.b64decode(piece(start, _CHUNK_BYTES)) for start in range(0, size, _CHUNK_BYTES))
