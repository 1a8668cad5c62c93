"""Match two classifications: the same best class, and close scores."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class ClassMatch(Struct, frozen=True):
    """The comparison of two lists of class scores.

    `distance` is the largest difference of a class's scores, `allowed` its limit, `spread` the range of the reference's
    scores. `tied`: the best classes differ, but the reference's scores for the two are within `allowed` of each other.
    """

    want: int
    got: int
    distance: float
    allowed: float
    spread: float
    tied: bool

    @property
    def same_class(self) -> bool:
        """Whether both have the same best class, or tied best classes."""
        return self.want == self.got or self.tied

    @property
    def matches(self) -> bool:
        """Whether the results match. True also if the reference has no signal: see `is_informative`."""
        return self.same_class and self.distance <= self.allowed

    @property
    def is_informative(self) -> bool:
        """Whether the reference's scores differ between classes; if not, equal results prove nothing."""
        return self.spread > self.allowed


def match_classes(want: NDArray[np.float64], got: NDArray[np.float64], ratio: float) -> ClassMatch:
    """Compare scores [classes]. `ratio` is the allowed difference relative to the reference's best score.

    An absolute tolerance could accept anything if the scores of a thousand classes are all small.
    """
    if not (np.isfinite(want).all() and np.isfinite(got).all()) or want.shape != got.shape:
        return ClassMatch(-1, -2, np.inf, 0.0, np.inf, tied=False)
    best, other = int(want.argmax()), int(got.argmax())
    allowed = ratio * float(np.abs(want).max())
    spread = float(want.max() - want.min()) if want.size > 1 else float(want.max())
    tied = best != other and float(want[best] - want[other]) <= allowed
    return ClassMatch(best, other, float(np.abs(want - got).max()), allowed, spread, tied)
