"""NumPy reference of label scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.sigmoid import sigmoid
from webbuild.postprocess.unit_vectors import pooled_vectors


def reference_label_scores(spec: LabelScoresPostprocess, output: NDArray[Any]) -> NDArray[np.float32]:
    """Return label scores [batch, labels], after the sigmoid if the spec has one."""
    pictures = pooled_vectors(output, spec.tokens, spec.size, spec.pooling)
    scores = spec.scale * (pictures @ spec.labels.T.astype(np.float64)) + spec.bias
    probabilities = sigmoid(scores) if spec.sigmoid else scores
    result: NDArray[np.float32] = probabilities.astype(np.float32)
    return result
