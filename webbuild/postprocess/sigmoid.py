"""The sigmoid, which turns logits into probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sigmoid(logits: NDArray[Any]) -> NDArray[Any]:
    """Return the probabilities of logits, in their dtype; 0 where the exponential overflows."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logits)), logits.dtype)
