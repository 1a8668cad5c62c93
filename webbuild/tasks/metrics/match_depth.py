"""Match two depth maps by the mean and the largest absolute relative error."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.comparison import Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance

_SMALLEST_NORMAL = 2.0**-126
"""The smallest normal float32, for a map of zeros."""


class DepthMatch(Struct, frozen=True):
    """The comparison of two depth maps.

    `error` is the mean over all pixels of |got - want| / |want|, `worst` the largest; both are infinite if a side is
    not finite. `spread` is the range of the reference's values, relative to the largest. `mismatch` is the reason if
    the maps differ, with `want` and `got` describing both sides. `no_signal` is the reason if the reference is flat.
    """

    error: float
    worst: float
    allowed: float
    spread: float
    mismatch: Mismatch | None = None
    no_signal: NoSignal | None = None
    want: str = ""
    got: str = ""

    @property
    def matches(self) -> bool:
        """Whether the maps match. True also if the reference is flat: see `no_signal`."""
        return self.mismatch is None


def match_depth(want: NDArray[Any], got: NDArray[Any], tolerance: Tolerance) -> DepthMatch:
    """Compare maps of the same shape.

    No scale is fitted (as one would against ground truth), since both sides come from the same model.
    """
    ratio = tolerance.depth
    if want.shape != got.shape or not want.size:
        return DepthMatch(np.inf, np.inf, ratio, 0.0, "shape", want=str(list(want.shape)), got=str(list(got.shape)))
    one, other = want.astype(np.float64), got.astype(np.float64)
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return DepthMatch(
            np.inf, np.inf, ratio, 0.0, "not-finite", want=_count_non_finite(one), got=_count_non_finite(other)
        )
    largest = float(np.abs(one).max())
    spread = float(one.max() - one.min()) / largest if largest else 0.0
    relative = np.abs(other - one) / np.maximum(np.abs(one), max(tolerance.depth_floor * largest, _SMALLEST_NORMAL))
    error, worst = float(relative.mean()), float(relative.max())
    mismatch: Mismatch | None = None
    if error > ratio:
        mismatch = "too-far"
    elif worst > tolerance.depth_worst * ratio:
        mismatch = "worst-too-far"
    flat: NoSignal = "constant" if largest else "zero"
    return DepthMatch(error, worst, ratio, spread, mismatch, None if spread > ratio else flat)


def _count_non_finite(values: NDArray[np.float64]) -> str:
    return f"{int(np.isnan(values).sum())} NaN, {int(np.isinf(values).sum())} infinite"
