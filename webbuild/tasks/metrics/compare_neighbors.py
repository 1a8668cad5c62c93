"""Compare embeddings by the order of their nearest neighbours among the other inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance

_TIED = 0.001
"""Cosines that differ by no more than this count as equal: their order may change."""


def compare_neighbors(
    subject: ComparedOutput,
    want: NDArray[Any],
    got: NDArray[Any],
    others: Sequence[NDArray[Any]],
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the order of the reference's other unit vectors by their cosine with `want` and with `got`.

    The signal is the number of `others` that differ from `want`: if all inputs have the same embedding, equality proves
    nothing. Without others there is no comparison.
    """
    if not others:
        return []
    near, actual = (np.array([float(each @ vector) for each in others]) for vector in (want, got))
    clear = near[:, None] - near[None, :] > _TIED  # [others, others]: the first is clearly nearer than the second
    swapped = int((clear & ~(actual[:, None] > actual[None, :])).sum())
    return [
        Comparison(
            subject=subject.with_quantity("rank"),
            verdict="DIFFERS" if swapped else "OK",
            tolerance=0,
            max_abs=float(swapped),
            signal=float((1 - near > tolerance.cosine).sum()),
            reason="not-equal" if swapped else None,
            details=(f"{swapped} pairs of the other inputs are in another order of similarity",) if swapped else (),
        )
    ]
