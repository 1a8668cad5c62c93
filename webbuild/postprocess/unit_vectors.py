"""Unit vectors: embeddings divided by their L2 norm, after pooling if the model outputs tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit_vectors(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return vectors [..., size] divided by their L2 norms; a zero vector stays as it is."""
    vectors = np.asarray(values, np.float64)
    lengths = np.sqrt((vectors**2).sum(-1, keepdims=True))
    result: NDArray[np.float64] = vectors / np.where(lengths == 0, 1.0, lengths)
    return result


def pooled_vectors(values: NDArray[Any], tokens: int, size: int, pooling: str) -> NDArray[np.float64]:
    """Return the unit vectors [batch, size] of an output [batch, tokens, size]; see `EmbedTask`."""
    token_vectors = np.asarray(values, np.float64).reshape(-1, tokens, size)
    return unit_vectors(token_vectors[:, 0] if pooling == "cls" else token_vectors.mean(1))
