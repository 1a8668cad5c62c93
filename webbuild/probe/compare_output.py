"""Comparison of a probe's output with native ONNX Runtime, by element type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webbuild.probe.probe_model import Array

_TOLERANCES = {"f4": (1e-3, 1e-5), "f2": (1e-2, 1e-3), "f8": (1e-6, 1e-8)}
"""Float type -> tolerance relative to the element, and relative to the output's largest magnitude.

They include the accuracy that WGSL requires of `exp`, `pow` and the trigonometric functions. Integers and booleans must
be equal. Infinities and NaN equal themselves, because probes test which of them a kernel returns.
"""


@dataclass(frozen=True)
class Mismatch:
    """A difference: a message, and the largest finite difference if there is one."""

    message: str
    error: float | None = None


def compare_output(name: str, got: Array | None, want: Array, slack: float = 1.0) -> Mismatch | None:
    """Return how an output differs, None if it is within tolerance. `slack` multiplies the tolerance."""
    if got is None:
        return Mismatch(f"{name} is missing")
    if got.dtype != want.dtype:
        return Mismatch(f"{name} is {got.dtype}, not {want.dtype}")
    if got.shape != want.shape:
        return Mismatch(f"{name} has the shape {list(got.shape)}, not {list(want.shape)}")
    wrong = ~_is_close(got, want, slack)
    if not wrong.any():
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.abs(got.astype(np.float64) - want.astype(np.float64))
    finite = differences[wrong & np.isfinite(differences)]
    first = np.unravel_index(int(wrong.argmax()), want.shape)
    message = f"{int(wrong.sum())} of {want.size} in {name}: {got[first]:.6g}, not {want[first]:.6g}"
    return Mismatch(message, float(finite.max()) if finite.size else None)


def _is_close(got: Array, want: Array, slack: float) -> Array:
    if want.dtype.kind != "f":
        return np.asarray(got == want)
    relative, of_largest = _TOLERANCES[want.dtype.str[1:]]
    finite = np.abs(want[np.isfinite(want)])
    return np.isclose(got, want, rtol=relative * slack, atol=of_largest * slack * finite.max(initial=0), equal_nan=True)
