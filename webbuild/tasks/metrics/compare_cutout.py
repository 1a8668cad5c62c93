"""Compare cutouts by the error of their pixels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.matte_alpha import Matte
from webbuild.tasks.metrics.compare_matte import LEVEL, find_mismatch, find_no_signal

Floats = NDArray[np.float64]


def compare_cutouts(
    subject: ComparedOutput, expected: Matte, actual: Matte | None, tolerance: Tolerance
) -> list[Comparison]:
    """Compare RGBA by alpha and by colours times alpha, since transparent pixels have no colour.

    Tolerances include the rounding to levels: alpha, its product with the picture's alpha, and the bitmap's colours.
    The cutout has no signal if one flat colour would pass.
    """
    want = expected.cutout(None if actual is None else actual.alpha)
    got = None if actual is None else actual.cutout()
    if want is None:
        return []
    about = subject.with_quantity("cutout")
    if got is None or want.shape != got.shape or not want.size:
        return [_no_match(about, want, got, tolerance)]
    allowed = tolerance.alpha + LEVEL / 2
    anywhere = tolerance.alpha * tolerance.alpha_worst + 2 * LEVEL
    errors: list[Floats] = []
    no_signals: list[NoSignal | None] = []
    for one, other in zip(_times_alpha(want), _times_alpha(got), strict=True):
        errors.append(np.abs(other - one))
        no_signals.append(find_no_signal(one, allowed, anywhere))
    mismatch = next((why for each in errors if (why := find_mismatch(each, allowed, anywhere))), None)
    mean, worst = (max(float(measure(each)) for each in errors) for measure in (np.mean, np.max))
    return [
        Comparison(
            subject=about,
            verdict="DIFFERS" if mismatch else "OK",
            tolerance=allowed,
            max_abs=mean,
            max_rel=worst,
            rms=mean,
            signal=0.0 if all(no_signals) else float(want[..., 3].max()) / 255,
            reason=mismatch or (no_signals[-1] if all(no_signals) else None),
        )
    ]


def _times_alpha(rgba: NDArray[np.uint8]) -> Iterator[Floats]:
    """Yield red, green and blue times alpha, then alpha, each [height, width] in 0..1."""
    alpha = rgba[..., 3] / 255
    for channel in range(3):
        yield rgba[..., channel] / 255 * alpha
    yield alpha


def _no_match(
    subject: ComparedOutput, want: NDArray[np.uint8], got: NDArray[np.uint8] | None, tolerance: Tolerance
) -> Comparison:
    one, other = ("no picture" if each is None else f"{each.shape[1]} x {each.shape[0]}" for each in (want, got))
    reason: Mismatch = "missing" if got is None else "shape"
    return Comparison(subject=subject, verdict="DIFFERS", tolerance=tolerance.alpha, reason=reason, want=one, got=other)
