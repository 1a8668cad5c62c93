"""Class scores: the classes of a classifier, ranked by probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import ClassifyTask, CropClassesTask


class ClassScore(Struct, frozen=True, rename="camel"):
    """A class and its probability."""

    class_index: int
    label: str
    score: float


def class_probabilities(task: ClassifyTask | CropClassesTask, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probability of each class, [classes] -> [classes]."""
    scores: NDArray[np.float64] = np.asarray(values, np.float64)
    if not task.logits:
        return scores
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max())
        result: NDArray[np.float64] = powers / powers.sum()
    return result


def ranked_classes(task: ClassifyTask | CropClassesTask, values: NDArray[Any]) -> list[ClassScore]:
    """Return all classes from scores [classes], the most probable first; ties by lower index."""
    scores = class_probabilities(task, values)
    order = np.argsort(-scores, kind="stable")  # NaN last
    return [ClassScore(int(i), task.classes[i], float(scores[i])) for i in order]
