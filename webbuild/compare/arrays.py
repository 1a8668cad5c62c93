"""A comparison: numbers about one quantity of two results, and the comparison of two arrays."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Verdict = Literal["OK", "DIFFERS", "VACUOUS"]
Stage = Literal["input", "raw", "decoded"]

RELATIVE_TOLERANCE = 1e-4
"""How far floating point outputs may lie apart, relative to the output's largest magnitude."""


class ComparedOutput(Struct, frozen=True):
    """The subject of a comparison, at a stage, on a sample, computed by a runner.

    `output` is empty for a prediction, which is decoded from all of them. `quantity` is what is compared of it in the
    terms of the task, such as a score; empty where numbers are compared as they are.
    """

    runner: str
    sample: str
    stage: Stage
    output: str
    unit: str = ""
    quantity: str = ""

    @property
    def name(self) -> str:
        """The quantity, else the output."""
        return self.quantity or self.output

    def with_quantity(self, quantity: str, unit: str = "") -> ComparedOutput:
        """Return the subject for one quantity of it."""
        return ComparedOutput(self.runner, self.sample, self.stage, self.output, unit, quantity)


class Comparison(Struct, frozen=True, kw_only=True, rename="camel"):
    """Two results of one quantity, compared.

    `rms` is the root mean square of all differences, `max_abs` the largest, None where it is not finite or could not
    be computed; `max_rel` is that relative to `signal`; `worst` is where it is, `want` and `got` the values there.
    `signal` is the largest finite magnitude of the reference, or its number of detections: with 0 there was nothing
    to compare. `similarity` is the least OKS of poses or IoU of masks. `near_threshold` objects have no partner, but
    lie within tolerance of a threshold. `from_fallback` says that the graph asked for its fallback, as at run time, and
    this compares the fallback's answer. `noise` is the noise floor, where that explains the difference.
    """

    subject: ComparedOutput
    verdict: Verdict
    tolerance: float
    max_abs: float | None = None
    max_rel: float | None = None
    worst: tuple[int, ...] = ()
    want: str = ""
    got: str = ""
    signal: float = 0.0
    reason: str = ""
    rms: float | None = None
    similarity: float | None = None
    near_threshold: int = 0
    from_fallback: bool = False
    noise: float | None = None

    @property
    def tolerance_used(self) -> float:
        """The part of the tolerance that the difference takes: above 1 it differs, infinite where it has no size."""
        if self.max_abs is None:
            return math.inf if self.verdict == "DIFFERS" else 0.0
        if not self.max_abs:
            return 0.0
        return self.max_abs / self.tolerance if self.tolerance else math.inf


def compare_arrays(
    subject: ComparedOutput,
    want: NDArray[Any],
    got: NDArray[Any] | None,
    *,
    tolerance: float | None = None,
    rounding: float = 0.0,
    relative: float = RELATIVE_TOLERANCE,
) -> Comparison:
    """Judge an array.

    Args:
        subject: what it is.
        want: the reference.
        got: the candidate, None if there was none.
        tolerance: absolute; by default `relative` of the reference's largest magnitude, and 0 for integers and bools.
        rounding: what the arithmetic in front of the output rounds by, where the output itself may be much smaller
            than the numbers it comes from. The default tolerance is no smaller than that, and a reference that is
            not ten times as large says nothing.
        relative: see `tolerance`.
    """
    signal = _signal_magnitude(want)
    exact = want.dtype.kind in "iub"
    allowed = tolerance if tolerance is not None else 0.0 if exact else max(relative * signal, rounding)
    for differs, reason in (
        (got is None, "the output is missing"),
        (got is not None and got.shape != want.shape, f"shape {_describe_shape(got)}, wanted {_describe_shape(want)}"),
        (got is not None and got.dtype != want.dtype, f"type {_describe_dtype(got)}, wanted {want.dtype}"),
    ):
        if differs:
            return Comparison(subject=subject, verdict="DIFFERS", tolerance=allowed, signal=signal, reason=reason)
    assert got is not None
    if want.size == 0:
        return Comparison(subject=subject, verdict="VACUOUS", tolerance=allowed, reason="the output is empty")
    distance = _absolute_difference(want, got)
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(distance)), want.shape))
    largest = float(distance[worst])
    broken = _mismatch_reason(want, got, largest, allowed)
    silent = "" if signal else _silence(want)
    if signal and tolerance is None and signal < 10 * rounding:
        silent = f"the reference is nowhere above {signal:.2g}, which is rounding"
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
    """Distance of each pair: 0 for equal values, infinities and NaN among them; infinite where one is NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.array(np.abs(want.astype(np.float64) - got.astype(np.float64)))
    distance[np.isnan(distance)] = np.inf
    same = want == got
    if want.dtype.kind == "f":
        same |= np.isnan(want) & np.isnan(got)
    distance[same] = 0.0
    if want.dtype.kind in "iu":  # 64-bit integers that float64 cannot tell apart
        distance[~same] = np.maximum(distance[~same], 1.0)
    return distance


def _mismatch_reason(want: NDArray[Any], got: NDArray[Any], largest: float, allowed: float) -> str:
    if want.dtype.kind == "f" and (np.isnan(want) != np.isnan(got)).any():
        return f"NaN: {int(np.isnan(want).sum())} wanted, {int(np.isnan(got).sum())} got"
    if largest == math.inf:
        return "infinite on one side only"
    return f"differs by {largest:.3g}, more than {allowed:.3g}" if largest > allowed else ""


def _silence(want: NDArray[Any]) -> str:
    """Say what a reference without a magnitude holds."""
    nan = want.dtype.kind == "f" and np.isnan(want).any()
    return "the reference is NaN or zero everywhere" if nan else "the reference is zero everywhere"


def _signal_magnitude(want: NDArray[Any]) -> float:
    magnitude = np.abs(want.astype(np.float64))
    finite = magnitude[np.isfinite(magnitude)]
    return float(finite.max()) if finite.size else 0.0


def _describe_shape(array: NDArray[Any] | None) -> str:
    return "none" if array is None else str(list(array.shape))


def _describe_dtype(array: NDArray[Any] | None) -> str:
    return "none" if array is None else str(array.dtype)


def _describe_value(value: Any) -> str:
    return f"{value:.7g}" if isinstance(value, (float, np.floating)) else str(value)
