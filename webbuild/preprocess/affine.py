"""Affine transforms of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Affine(Struct, frozen=True):
    """An affine transform: (x, y) -> (xx x + xy y + x0, yx x + yy y + y0)."""

    xx: float
    xy: float
    x0: float
    yx: float
    yy: float
    y0: float

    def apply(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the transformed points."""
        return self.xx * x + self.xy * y + self.x0, self.yx * x + self.yy * y + self.y0


def similarity(points: Sequence[Sequence[float]], onto: Sequence[Sequence[float]]) -> Affine | None:
    """Return the inverse of the least-squares similarity transform (Umeyama) from `onto` to `points`.

    With points as complex numbers z -> w around their means the transform is w = a z, a = sum(conj(z) w) / sum(|z|²):
    a rotation and a scale. None if all points coincide, or if no rotation is better than another.
    """
    w, z = (np.asarray(each, np.float64) @ [1, 1j] for each in (points, onto))
    middle_w, middle_z = w.mean(), z.mean()
    spread = float((np.abs(z - middle_z) ** 2).sum())
    if not spread > 0:
        return None
    turn = complex((np.conj(z - middle_z) * (w - middle_w)).sum()) / spread
    if not abs(turn) > 0:
        return None
    back = 1 / turn  # z = back (w - middle_w) + middle_z
    start = complex(middle_z) - back * complex(middle_w)
    return Affine(back.real, -back.imag, start.real, back.imag, back.real, start.imag)
