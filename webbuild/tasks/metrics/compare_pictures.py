"""Comparison of two pictures: the RMS difference of their levels, from which PSNR follows, and the largest one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.output_picture import OutputPicture

WHITE = 255


def compare_pictures(
    subject: ComparedOutput, want: OutputPicture, got: OutputPicture | None, tolerance: Tolerance
) -> Comparison:
    """Compare a picture against the reference's.

    A picture of one colour has no signal; `mark_vacuous` sees to it that it is not all there was.
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
    apart = np.abs(other[seen][:, :3].astype(np.int16) - colors) / WHITE
    rms = float(np.sqrt(np.mean(apart**2))) if apart.size else 0.0
    worst = float(apart.max(initial=0.0))
    mismatch: Mismatch | None = None
    if rms > allowed:
        mismatch = "too-far"
    elif worst > allowed * tolerance.picture_worst:
        mismatch = "worst-too-far"
    silent = _no_signal(colors)
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if mismatch else "OK",
        tolerance=allowed,
        max_abs=rms,
        max_rel=worst,
        rms=rms,
        signal=0.0 if silent else float(np.ptp(colors)),
        reason=mismatch or silent,
        psnr=psnr(rms),
    )


def _no_signal(colors: NDArray[np.uint8]) -> NoSignal | None:
    """Return why a picture [pixels, 3] says nothing, None where it does: it has more than one colour."""
    if not colors.size:
        return "empty"
    return None if np.ptp(colors, axis=0).any() else "constant"


def psnr(rms: float) -> float | None:
    """Return the peak signal-to-noise ratio in dB, None between equal pictures, where it is infinite."""
    return float(-20 * np.log10(rms)) if rms else None
