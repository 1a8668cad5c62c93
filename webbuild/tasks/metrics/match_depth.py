"""When two depth maps are the same: their absolute relative error, on average and at its worst."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compare.tolerances import Tolerance

_SMALLEST_NORMAL = 2.0**-126
"""The smallest normal float32, for a map of zeros."""


class DepthMatch(Struct, frozen=True):
    """Two maps, compared.

    `error` is the mean over all pixels of |got - want| / |want|, `worst` the largest of them, both infinite where a
    side is not finite. `spread` is how far the reference's values lie apart, relative to the largest. `vacuous_reason`
    says why the reference says nothing, if it does not.
    """

    error: float
    worst: float
    allowed: float
    spread: float
    problem: str
    vacuous_reason: str

    @property
    def matches(self) -> bool:
        """Whether the two are the same map. True also where the reference is flat: see `vacuous_reason`."""
        return not self.problem


def match_depth(want: NDArray[Any], got: NDArray[Any], tolerance: Tolerance) -> DepthMatch:
    """Compare maps of one shape.

    No scale is fitted, as one would be between a model and the truth: both sides are the same model's answer.
    """
    ratio = tolerance.depth
    if want.shape != got.shape or not want.size:
        problem = f"shape {list(got.shape)}, wanted {list(want.shape)}"
        return DepthMatch(np.inf, np.inf, ratio, 0.0, problem, "")
    one, other = want.astype(np.float64), got.astype(np.float64)
    if broken := [
        f"{name} {_non_finite_reason(a)}" for name, a in (("wanted", one), ("got", other)) if not np.isfinite(a).all()
    ]:
        return DepthMatch(np.inf, np.inf, ratio, 0.0, " and ".join(broken), "")
    largest = float(np.abs(one).max())
    spread = float(one.max() - one.min()) / largest if largest else 0.0
    relative = np.abs(other - one) / np.maximum(np.abs(one), max(tolerance.depth_floor * largest, _SMALLEST_NORMAL))
    error, worst = float(relative.mean()), float(relative.max())
    problem = ""
    if error > ratio:
        problem = f"absolute relative error {error:.3g}, more than {ratio:g}"
    elif worst > tolerance.depth_worst * ratio:
        problem = f"a pixel is off by {worst:.3g} of its depth, more than {tolerance.depth_worst * ratio:g}"
    return DepthMatch(error, worst, ratio, spread, problem, _vacuous_reason(largest, spread, ratio, one))


def _vacuous_reason(largest: float, spread: float, ratio: float, values: NDArray[np.float64]) -> str:
    if largest == 0:
        return "the map is zero everywhere"
    return "" if spread > ratio else f"the map is {values.flat[0]:.4g} everywhere"


def _non_finite_reason(values: NDArray[np.float64]) -> str:
    nan, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    return " and ".join(f"{count} {name}" for count, name in ((nan, "NaN"), (infinite, "infinities")) if count)
