"""Match of two classifications: the same best class, and close scores."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class ClassMatch(Struct, frozen=True):
    """Two lists of scores, compared.

    `distance` is the largest difference of a class's scores, `allowed` how large it may be, `spread` how far the
    reference's classes lie apart. `tied`: the best classes differ, but the reference's scores for the two are
    within `allowed` of each other.
    """

    want: int
    got: int
    distance: float
    allowed: float
    spread: float
    tied: bool

    @property
    def same_class(self) -> bool:
        """Whether both have the same best class, or an excuse."""
        return self.want == self.got or self.tied

    @property
    def matches(self) -> bool:
        """Whether the two are the same result. True also where the reference tells no classes apart: see `says`."""
        return self.same_class and self.distance <= self.allowed

    @property
    def is_informative(self) -> bool:
        """Whether the reference tells classes apart at all: where it does not, equal results prove nothing."""
        return self.spread > self.allowed


def match_classes(want: NDArray[np.float64], got: NDArray[np.float64], ratio: float) -> ClassMatch:
    """Compare scores [classes]. `ratio` is what they may differ by, as a part of the reference's best score.

    Scores of a thousand classes may all be small, which an absolute tolerance would not notice.
    """
    if not (np.isfinite(want).all() and np.isfinite(got).all()) or want.shape != got.shape:
        return ClassMatch(-1, -2, np.inf, 0.0, np.inf, tied=False)
    best, other = int(want.argmax()), int(got.argmax())
    allowed = ratio * float(np.abs(want).max())
    spread = float(want.max() - want.min()) if want.size > 1 else float(want.max())
    excused = best != other and float(want[best] - want[other]) <= allowed
    return ClassMatch(best, other, float(np.abs(want - got).max()), allowed, spread, excused)
