"""Compare alpha mattes: mean absolute error, largest difference, and gradient error along outlines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.matte_alpha import Matte

_SIGMA = 1.4
"""Sigma in pixels of the Gaussian for the gradient, as on alphamatting.com."""
_RADIUS = 4
_STEP = 1 / (_SIGMA * math.sqrt(2 * math.pi))
"""The gradient at a step from 0 to 1."""
_OUTLINE = 0.01
"""Smallest gradient of an outline pixel: alpha goes from 0 to 1 within 100 pixels.

If all gradients are smaller, the limit is a quarter of the largest."""
LEVEL = 1 / 255
"""Difference that rounding to integer levels can add."""

Floats = NDArray[np.float64]


def compare_alpha(
    subject: ComparedOutput, want: NDArray[Any], got: NDArray[Any], tolerance: Tolerance, rounding: float = 0.0
) -> list[Comparison]:
    """Compare alpha of 0..1 [height, width] with the reference's: its error, and its gradient's error.

    Alpha has no signal if a constant alpha would pass; `mark_vacuous` fails if no sample has a signal.

    Args:
        subject: the compared output.
        want: the reference.
        got: the candidate.
        tolerance: the allowed mean absolute error, and its multiple allowed at a single pixel.
        rounding: the largest difference at one pixel due to rounding alone.
    """
    if want.shape != got.shape or not want.size:
        shapes = (str(list(each.shape)) for each in (want, got))
        return [_different(subject, "shape", tolerance, *shapes)]
    one, other = want.astype(np.float64), got.astype(np.float64)
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        odd = (f"{int((~np.isfinite(each)).sum())} NaN or infinite" for each in (one, other))
        return [_different(subject, "not-finite", tolerance, *odd)]
    allowed, anywhere = tolerance.alpha, tolerance.alpha * tolerance.alpha_worst + rounding
    no_signal = find_no_signal(one, allowed, anywhere)
    signal = 0.0 if no_signal else float(one.max())
    distance = np.abs(other - one)
    at = tuple(int(index) for index in np.unravel_index(int(distance.argmax()), distance.shape))
    mismatch = find_mismatch(distance, allowed, anywhere)
    error = Comparison(
        subject=subject.with_quantity("alpha"),
        verdict="DIFFERS" if mismatch else "OK",
        tolerance=allowed,
        max_abs=float(distance.mean()),
        max_rel=float(distance[at]),
        worst=at,
        want=f"{one[at]:.4g}",
        got=f"{other[at]:.4g}",
        signal=signal,
        reason=mismatch or no_signal,
        rms=float(distance.mean()),
    )
    narrow = min(one.shape) <= 2 * _RADIUS
    return [error] if narrow else [error, _compare_gradient(subject, one, other, tolerance.gradient + rounding * _STEP)]


def compare_mattes(subject: ComparedOutput, want: Matte, got: Matte | None, tolerance: Tolerance) -> list[Comparison]:
    """Compare the runtime's results: alpha over the source picture, in integer levels."""
    nothing = np.zeros((0, 0), np.uint8)
    one, other = (side.astype(np.float64) / 255 for side in (want.alpha, nothing if got is None else got.alpha))
    return compare_alpha(subject, one, other, tolerance, rounding=LEVEL)


def find_mismatch(distance: Floats, allowed: float, anywhere: float) -> Mismatch | None:
    """Return which difference is too large: the mean, or a single pixel's; None if neither is."""
    if distance.mean() > allowed:
        return "too-far"
    return "worst-too-far" if distance.max() > anywhere else None


def find_no_signal(want: Floats, allowed: float, anywhere: float) -> NoSignal | None:
    """Return why alpha has no signal: a constant alpha would pass. None if it has one.

    The median has the smallest mean absolute error, so the best constant is the median, clamped to the limit per pixel.
    """
    flat = np.clip(np.median(want), want.max() - anywhere, want.min() + anywhere)
    if find_mismatch(np.abs(want - flat), allowed, anywhere):
        return None
    return "constant" if want.any() else "zero"


def _compare_gradient(subject: ComparedOutput, want: Floats, got: Floats, allowed: float) -> Comparison:
    """Compare gradients along the outlines of both sides, which detects blurred, shifted or erased outlines.

    The mean is over outline pixels only, so it does not depend on their share of the picture. There is no signal if
    erasing the reference's outlines would be within the tolerance.
    """
    one, other = _gradient(want), _gradient(got)
    steepest = np.maximum(one, other)
    outlines = steepest >= min(_OUTLINE, float(steepest.max()) / 4)
    differences = np.abs(other - one)[outlines]
    error, signal = float(differences.mean()), float(one[outlines].mean())
    return Comparison(
        subject=subject.with_quantity("gradient"),
        verdict="DIFFERS" if error > allowed else "OK",
        tolerance=allowed,
        max_abs=error,
        max_rel=float(differences.max()),
        signal=signal if signal > allowed else 0.0,
        reason="too-far" if error > allowed else None if signal > allowed else "constant",
        rms=error,
    )


def _gradient(alpha: Floats) -> Floats:
    """Return the gradient magnitude [height, width] by derivatives of a Gaussian, with edge padding."""
    steps = np.arange(-_RADIUS, _RADIUS + 1)
    bell = np.exp(-(steps**2) / (2 * _SIGMA**2))
    bell /= bell.sum()
    slope = -steps / _SIGMA**2 * bell
    across = _convolve(_convolve(alpha, slope, 1), bell, 0)
    down = _convolve(_convolve(alpha, bell, 1), slope, 0)
    return np.hypot(across, down)


def _convolve(values: Floats, kernel: Floats, axis: int) -> Floats:
    width = [(_RADIUS, _RADIUS) if each == axis else (0, 0) for each in range(values.ndim)]
    padded = np.pad(values, width, mode="edge")
    count = values.shape[axis]
    result = np.zeros_like(values)
    for at, weight in enumerate(kernel[::-1]):
        result += weight * padded.take(range(at, at + count), axis)
    return result


def _different(subject: ComparedOutput, why: Mismatch, tolerance: Tolerance, want: str, got: str) -> Comparison:
    return Comparison(
        subject=subject.with_quantity("alpha"),
        verdict="DIFFERS",
        tolerance=tolerance.alpha,
        want=want,
        got=got,
        reason=why,
    )
