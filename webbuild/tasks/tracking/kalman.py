"""The Kalman filter of ByteTrack, as published: 8 dimensions, full matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
POSITION, VELOCITY = 1 / 20, 1 / 160
"""Standard deviations, relative to the height."""

_STEP: Array = np.eye(8) + np.eye(8, k=4)
_SEEN: Array = np.eye(4, 8)


def start(measured: Array) -> tuple[Array, Array]:
    """Return mean [8] and covariance [8, 8] of a new box [4]: centre x, centre y, width / height, height."""
    p, v = 2 * POSITION * measured[3], 10 * VELOCITY * measured[3]
    deviations = np.array([p, p, 1e-2, p, v, v, 1e-5, v])
    return np.concatenate([measured, np.zeros(4)]), np.diag(deviations**2)


def predict(mean: Array, covariance: Array) -> tuple[Array, Array]:
    """Return mean and covariance one frame later."""
    p, v = POSITION * mean[3], VELOCITY * mean[3]
    noise = np.diag(np.array([p, p, 1e-2, p, v, v, 1e-5, v]) ** 2)
    return _STEP @ mean, _STEP @ covariance @ _STEP.T + noise


def correct(mean: Array, covariance: Array, measured: Array) -> tuple[Array, Array]:
    """Return mean and covariance after the measurement of a box [4]."""
    p = POSITION * mean[3]
    spread = _SEEN @ covariance @ _SEEN.T + np.diag(np.array([p, p, 1e-1, p]) ** 2)
    gain = covariance @ _SEEN.T @ np.linalg.inv(spread)
    return mean + gain @ (measured - _SEEN @ mean), covariance - gain @ spread @ gain.T
