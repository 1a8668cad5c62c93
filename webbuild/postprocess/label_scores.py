"""Label scores: the similarity of a picture's embedding to the text embeddings of labels."""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class LabelScoresPostprocess(Struct, frozen=True, kw_only=True):
    """Text embeddings of labels to compare a picture's embedding with. `LABEL_SCORES` [1, labels] replaces the output.

    score = scale * cosine similarity + bias. With `sigmoid` each score becomes an independent probability.

    Attributes:
        output: name of the picture's embedding, [1, size], [1, size, 1, 1] or [1, tokens, size].
        size: embedding size.
        tokens: number of tokens in the output; 1 if it is one vector.
        pooling: how the tokens become one vector: the first (`cls`), or the mean of all.
        vectors: the labels' unit vectors [labels, size], little-endian float32.
        scale: see above; 100 for CLIP.
        bias: see above; 0 for CLIP.
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
