"""Large arrays in a temporary file that is mapped, not in memory: the system drops what it has no room for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 20
"""Bytes from which on an array goes to the file: a few hundred such arrays are nearly all of a model's weights."""
_ALIGNMENT = 64


def map_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the same arrays, large ones read-only and from a file, which goes with the last of them.

    What is in a file already stays there. All stay in memory where the disk has no room, and on Windows, which removes
    no file that is mapped.
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
