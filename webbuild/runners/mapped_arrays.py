"""Memory-map large arrays from a temporary file, so that the system can drop their pages when memory is short."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 20
"""Minimum bytes of an array to map: a few hundred arrays of this size make up nearly all of a model's weights."""
_ALIGNMENT = 64


def map_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the same arrays, large ones as read-only maps of a file that is deleted with the last of them.

    Arrays that are mapped already are unchanged. All stay in memory if the disk is full, and on Windows, which cannot
    delete a mapped file.
    """
    large = {name: array for name, array in arrays.items() if array.nbytes >= _LARGE and _is_in_memory(array)}
    if not large or os.name == "nt":
        return dict(arrays)
    try:
        with tempfile.TemporaryFile() as file:
            starts = {}
            for name, array in large.items():
                starts[name] = file.seek(-file.tell() % _ALIGNMENT, os.SEEK_CUR)
                file.write(np.ascontiguousarray(array).data)
            file.flush()
            mapped = np.memmap(file, np.uint8, "r")
    except OSError:
        return dict(arrays)
    return {**arrays, **{name: _part(mapped, start, large[name]) for name, start in starts.items()}}


def _is_in_memory(array: NDArray[Any]) -> bool:
    owner: object = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return isinstance(owner, np.ndarray) and array.dtype.kind in "fiub"


def _part(mapped: NDArray[np.uint8], start: int, like: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(mapped[start : start + like.nbytes]).view(like.dtype).reshape(like.shape)
