"""Scores of labels: how alike a picture's embedding and those of words are."""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class LabelScoresPostprocess(Struct, frozen=True, kw_only=True):
    """Embeddings of labels, with which that of a picture is compared; `LABEL_SCORES` [1, labels] replaces it.

    score = scale * cosine + bias, of which `sigmoid` makes a probability for each label by itself.

    Attributes:
        output: name of the picture's embedding, [1, size], [1, size, 1, 1] or [1, tokens, size].
        size: numbers of a vector.
        tokens: how many the output has, 1 of a vector.
        pooling: how they become one vector: the first, or the mean of all.
        vectors: the labels' unit vectors [labels, size], little-endian float32.
        scale: see above; CLIP's is 100.
        bias: see above; 0 of CLIP.
        sigmoid: see above; without it the scores are logits of a softmax over all labels.
    """

    output: str
    size: int
    tokens: int = 1
    pooling: Literal["none", "cls", "mean"] = "none"
    vectors: bytes
    scale: float
    bias: float = 0.0
    sigmoid: bool = False

    @property
    def labels(self) -> NDArray[np.float32]:
        """The unit vectors [labels, size]."""
        return np.frombuffer(self.vectors, "<f4").reshape(-1, self.size)
