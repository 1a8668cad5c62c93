"""Compare depth maps by their absolute relative error, and detect maps without signal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.depth_map import DepthMap
from webbuild.tasks.metrics.match_depth import match_depth


def compare_depth(
    subject: ComparedOutput,
    want: NDArray[Any],
    got: NDArray[Any],
    tolerance: Tolerance,
    quantity: str = "depth",
) -> Comparison:
    """Compare a map with the reference's by its absolute relative error: on average, and with a larger limit per pixel.

    A constant map has no signal; `mark_vacuous` fails if no sample has a signal.
    """
    match = match_depth(want, got, tolerance)
    finite = math.isfinite(match.error)
    signal = float(np.abs(want).max(initial=0.0)) if finite else 0.0
    if quantity == "depth" and match.no_signal:
        signal = 0.0
    return Comparison(
        subject=subject.with_quantity(quantity),
        verdict="OK" if match.matches else "DIFFERS",
        tolerance=match.allowed,
        max_abs=match.error if finite else None,
        max_rel=match.worst if finite else None,
        signal=signal,
        want=match.want,
        got=match.got,
        reason=match.mismatch or match.no_signal,
        rms=match.error if finite else None,
    )


def compare_decoded_depth(
    subject: ComparedOutput, want: DepthMap, got: DepthMap | None, tolerance: Tolerance
) -> list[Comparison]:
    """Compare the runtime's results: the maps over the source picture.

    Pixels outside the model's input have no depth on either side, and are skipped.
    """
    nothing = np.zeros((0, 0), np.float32)
    sides = [("depth", want.depth, nothing if got is None else got.depth)]
    if want.confidence is not None:
        theirs = None if got is None else got.confidence
        sides.append(("confidence", want.confidence, nothing if theirs is None else theirs))
    return [compare_depth(subject, *_compared_pixels(one, other), tolerance, name) for name, one, other in sides]


def _compared_pixels(want: NDArray[Any], got: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the pixels [n] that are not NaN; all pixels if the sides have NaN at different places."""
    if want.shape != got.shape or (np.isnan(want) != np.isnan(got)).any():
        return want, got
    inside = ~np.isnan(want)
    return want[inside], got[inside]
