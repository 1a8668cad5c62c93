"""Judging one value of a piece: as `verify` judges outputs, with eyes for what stands inside graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.verify.compare import RELATIVE, Comparison, Subject, compare

MASK = 1e8
"""Magnitude from which on a number says "not this one": beside it, others would be too small to be compared."""


def judge(
    runner: str, sample: str, name: str, want: NDArray[Any], got: NDArray[Any], tolerance: float = RELATIVE
) -> Comparison:
    """Judge a value.

    Floats may lie `tolerance` of the value's largest magnitude apart. Where both are NaN they agree: the reference has
    its own. Where the reference is as large as a mask, each number is compared with itself.
    """
    if want.shape == got.shape and want.dtype == got.dtype and want.dtype.kind == "f":
        undecided, masks = np.isnan(want) & np.isnan(got), _same_masks(want, got, tolerance)
        alike = undecided if (undecided | masks).all() else undecided | masks
        if alike.any():
            want, got = (np.where(alike, np.zeros((), side.dtype), side) for side in (want, got))
    allowed = None
    if want.dtype.kind == "f":
        finite = np.abs(want[np.isfinite(want)]).astype(np.float64)
        allowed = tolerance * float(finite.max(initial=0.0))
    return compare(Subject(runner, sample, "raw", name), np.asarray(want), np.asarray(got), tolerance=allowed)


def _same_masks(want: NDArray[Any], got: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(want.astype(np.float64))
        apart = np.abs(want.astype(np.float64) - got.astype(np.float64))
        alike: NDArray[np.bool_] = (size >= MASK) & ((want == got) | (np.isfinite(size) & (apart <= tolerance * size)))
    return alike
