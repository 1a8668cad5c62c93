"""Comparison of two arrays: OK within a tolerance, different, or vacuous."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal

RELATIVE_TOLERANCE = 1e-4
"""Tolerance of floating point outputs, relative to the output's largest magnitude."""


def compare_arrays(
    subject: ComparedOutput,
    want: NDArray[Any],
    got: NDArray[Any] | None,
    *,
    tolerance: float | None = None,
    rounding: float = 0.0,
    relative: float = RELATIVE_TOLERANCE,
    rounded: bool = False,
) -> Comparison:
    """Compare an array with a reference.

    Args:
        subject: the output or quantity, for the report.
        want: the reference.
        got: the candidate, None if it is missing.
        tolerance: absolute; by default `relative` times the reference's largest magnitude, 0 for integers and bools.
        rounding: the rounding error of the arithmetic before the output, which may be much smaller than its operands.
            The default tolerance is at least `rounding`. A reference below ten times `rounding` is vacuous.
        relative: see `tolerance`.
        rounded: whether the integers are rounded floating point numbers. Two numbers with difference d then differ by 1
            with probability d: a difference of 1 is allowed, if the mean is within the tolerance of the floats.
    """
    signal = _signal_magnitude(want)
    exact = want.dtype.kind in "iub"
    of_floats = max(relative * signal, rounding)
    allowed = tolerance if tolerance is not None else float(rounded) if exact else of_floats
    if got is None or got.shape != want.shape or got.dtype != want.dtype:
        reason, one, other = _different_kind(want, got)
        return Comparison(
            subject=subject, verdict="DIFFERS", tolerance=allowed, want=one, got=other, signal=signal, reason=reason
        )
    if want.size == 0:
        return Comparison(subject=subject, verdict="VACUOUS", tolerance=allowed, reason="empty")
    distance = _absolute_difference(want, got)
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(distance)), want.shape))
    largest = float(distance[worst])
    broken = _mismatch(want, got, largest, allowed)
    if rounded and broken is None and distance.mean() > of_floats:
        broken = "too-many"
    silent = None if signal else _no_signal(want)
    if signal and tolerance is None and signal < 10 * rounding:
        silent = "rounding"
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if broken else "VACUOUS" if silent else "OK",
        tolerance=allowed,
        max_abs=largest if math.isfinite(largest) else None,
        max_rel=largest / signal if signal and math.isfinite(largest) else None,
        worst=worst,
        want=_describe_value(want[worst]),
        got=_describe_value(got[worst]),
        signal=signal,
        reason=broken or silent,
        rms=float(np.sqrt(np.mean(distance**2))) if math.isfinite(largest) else None,
    )


def _absolute_difference(want: NDArray[Any], got: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distance of each pair: 0 for equal values, infinities and NaN included; infinite if one is NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.array(np.abs(want.astype(np.float64) - got.astype(np.float64)))
    distance[np.isnan(distance)] = np.inf
    same = want == got
    if want.dtype.kind == "f":
        same |= np.isnan(want) & np.isnan(got)
    distance[same] = 0.0
    if want.dtype.kind in "iu":  # different 64-bit integers may be equal in float64
        distance[~same] = np.maximum(distance[~same], 1.0)
    return distance


def _different_kind(want: NDArray[Any], got: NDArray[Any] | None) -> tuple[Mismatch, str, str]:
    """Return why two arrays cannot be compared elementwise, and the shape or type of each."""
    if got is None:
        return "missing", "", ""
    if got.shape != want.shape:
        return "shape", str(list(want.shape)), str(list(got.shape))
    return "dtype", str(want.dtype), str(got.dtype)


def _mismatch(want: NDArray[Any], got: NDArray[Any], largest: float, allowed: float) -> Mismatch | None:
    if want.dtype.kind == "f" and (np.isnan(want) != np.isnan(got)).any():
        return "nan"
    if largest == math.inf:
        return "infinite"
    return "too-far" if largest > allowed else None


def _no_signal(want: NDArray[Any]) -> NoSignal:
    """Return why a reference without a nonzero finite value has no signal."""
    return "nan-or-zero" if want.dtype.kind == "f" and np.isnan(want).any() else "zero"


def _signal_magnitude(want: NDArray[Any]) -> float:
    magnitude = np.abs(want.astype(np.float64))
    finite = magnitude[np.isfinite(magnitude)]
    return float(finite.max()) if finite.size else 0.0


def _describe_value(value: Any) -> str:
    return f"{value:.7g}" if isinstance(value, (float, np.floating)) else str(value)
