"""Tensors as bytes that go into a page, and come out of it in pieces."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK_BYTES = 8 << 20
"""Bytes fetched by one call."""


def to_little_endian_bytes(array: NDArray[Any]) -> bytes:
    """Return an array's elements row by row, as JavaScript's typed arrays have them."""
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C").tobytes()


def fetch_bytes(size: int, piece: Callable[[int, int], str]) -> bytes:
    """Return `size` bytes that a page holds; `piece` gets some from an offset on, at most so many, as base64."""
    return b"".join(base64.b64decode(piece(start, _CHUNK_BYTES)) for start in range(0, size, _CHUNK_BYTES))
