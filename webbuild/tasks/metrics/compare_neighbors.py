"""Neighbours: whether an embedding has the other inputs in the same order of likeness as the reference has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance

_TIED = 0.001
"""Cosines that lie no further apart are as good as equal: their order may change."""


def compare_neighbors(
    subject: ComparedOutput,
    want: NDArray[Any],
    got: NDArray[Any],
    others: Sequence[NDArray[Any]],
    tolerance: Tolerance,
) -> list[Comparison]:
    """Compare the order of the reference's other unit vectors by their cosine with `want`, and with `got`.

    Its signal is how many of them are other vectors than `want`: where all inputs have one embedding, an equal one
    proves nothing. Without others there is nothing to order.
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
            details=(f"{swapped} pairs of the other inputs are in another order of likeness",) if swapped else (),
        )
    ]
