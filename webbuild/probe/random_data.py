"""Reproducible random inputs of probes."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RandomData:
    """A random generator seeded with `name`, so that families of probes do not affect each other."""

    def __init__(self, name: str) -> None:
        self._random = np.random.default_rng(zlib.crc32(name.encode()))

    def floats(self, *shape: int) -> NDArray[np.float32]:
        """Draw from the normal distribution."""
        return np.asarray(self._random.standard_normal(shape), np.float32)

    def positive(self, *shape: int) -> NDArray[np.float32]:
        """Draw from 0.5 to 1.5."""
        return self.uniform(0.5, 1.5, *shape)

    def ints(self, *shape: int, low: int = 0, high: int = 10, dtype: type = np.int32) -> NDArray[Any]:
        """Draw integers from `low` to `high` - 1."""
        return np.asarray(self._random.integers(low, high, shape)).astype(dtype)

    def bools(self, *shape: int) -> NDArray[np.bool_]:
        """Draw true and false, each with probability one half."""
        return np.asarray(self._random.random(shape) > 0.5)

    def uniform(self, low: float, high: float, *shape: int) -> NDArray[np.float32]:
        """Draw from the uniform distribution."""
        return np.asarray(self._random.random(shape) * (high - low) + low, np.float32)

    def permutation(self, count: int) -> NDArray[np.int64]:
        """Draw a permutation of 0 to `count` - 1."""
        return self._random.permutation(count)


def empty(*shape: int) -> NDArray[np.float32]:
    """Return a tensor without elements."""
    return np.zeros(shape, np.float32)
