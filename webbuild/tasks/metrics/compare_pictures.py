"""Compare pictures by the RMS difference of their levels (which gives the PSNR) and the largest difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.output_picture import OutputPicture

_WHITE = 255


def compare_pictures(
    subject: ComparedOutput, want: OutputPicture, got: OutputPicture | None, tolerance: Tolerance
) -> Comparison:
    """Compare a picture with the reference's.

    It has no signal if one flat colour would pass; `mark_vacuous` fails if no sample has a signal.
    """
    subject = subject.with_quantity("picture")
    allowed = tolerance.picture
    one, other = want.rgba, np.zeros((0, 0, 4), np.uint8) if got is None else got.rgba
    seen = one[..., 3] != 0
    if one.shape != other.shape or (seen != (other[..., 3] != 0)).any():
        sides = [f"{each.shape[1]} x {each.shape[0]}" for each in (one, other)]
        return Comparison(
            subject=subject, verdict="DIFFERS", tolerance=allowed, reason="shape", want=sides[0], got=sides[1]
        )
    colors = one[seen][:, :3]  # [pixels, 3]
    rms, worst = _distance(colors, other[seen][:, :3])
    mismatch = _mismatch(rms, worst, tolerance)
    no_signal = _no_signal(colors, tolerance)
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if mismatch else "OK",
        tolerance=allowed,
        max_abs=rms,
        max_rel=worst,
        rms=rms,
        signal=0.0 if no_signal else float(np.ptp(colors)),
        reason=mismatch or no_signal,
        psnr=_psnr(rms),
    )


def _distance(colors: NDArray[Any], other: NDArray[Any]) -> tuple[float, float]:
    """Return the RMS and the largest difference of colours [pixels, 3], relative to white."""
    differences = np.abs(np.subtract(other, colors, dtype=np.float64)) / _WHITE
    return (float(np.sqrt(np.mean(differences**2))), float(differences.max())) if differences.size else (0.0, 0.0)


def _mismatch(rms: float, worst: float, tolerance: Tolerance) -> Mismatch | None:
    if rms > tolerance.picture:
        return "too-far"
    return "worst-too-far" if worst > tolerance.picture * tolerance.picture_worst else None


def _no_signal(colors: NDArray[np.uint8], tolerance: Tolerance) -> NoSignal | None:
    """Return why a picture [pixels, 3] has no signal: one flat colour would pass. None if it has one.

    The mean has the smallest RMS difference, so the best colour is the mean, clamped to the limit per pixel.
    """
    if not colors.size:
        return "empty"
    anywhere = _WHITE * tolerance.picture * tolerance.picture_worst
    flat = np.clip(colors.mean(axis=0), colors.max(axis=0) - anywhere, colors.min(axis=0) + anywhere)
    rms, worst = _distance(colors, np.broadcast_to(flat, colors.shape))
    return None if _mismatch(rms, worst, tolerance) else "constant"


def _psnr(rms: float) -> float | None:
    """Return the peak signal-to-noise ratio in dB; None for equal pictures, where it is infinite."""
    return float(-20 * np.log10(rms)) if rms else None
