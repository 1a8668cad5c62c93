"""Whether an array is in a memory-mapped file."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_mapped(array: NDArray[Any]) -> bool:
    owner: object = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return isinstance(owner, mmap.mmap)
