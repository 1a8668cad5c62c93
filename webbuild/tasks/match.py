"""When two lists of detections are the same: paired by class and overlap, then measured."""

from __future__ import annotations

import numpy as np

from webbuild.tasks._base import Match, Tolerance
from webbuild.tasks.measures import measure
from webbuild.tasks.objects import Floats, Objects
from webbuild.tasks.pairing import excused, pair


def match(want: Objects, got: Objects, tolerance: Tolerance, *, confidence: float, iou: float) -> Match:
    """Pair two lists of objects of one picture and measure the pairs.

    An object without a partner is excused only where its score, its overlap with a kept one, or its rank at the
    limit of rows lies within tolerance of the threshold that decides about it.
    """
    if broken := [f"{name} has NaN or infinite rows" for name, o in (("wanted", want), ("got", got)) if not o.finite]:
        return Match(0, 0, (), np.inf, np.inf, np.inf, None, tuple(broken), mask=np.inf)
    pairs = pair(want, got)
    taken = set(pairs.values())
    lonely = [("wanted", want, i, got) for i in range(len(want)) if i not in pairs]
    lonely += [("got", got, j, want) for j in range(len(got)) if j not in taken]
    accused = tuple(
        f"{name} only: {side.describe(i)}"
        for name, side, i, other in lonely
        if not excused(side, i, other, tolerance, confidence, iou)
    )
    left, right = want.take(list(pairs)), got.take(list(pairs.values()))
    apart = measure(left, right)
    score, box, keypoint, mask = (_largest(each) for each in (apart.score, apart.box, apart.keypoint, apart.mask))
    problems = [
        f"{name} differs by {_largest(each):.3g}, more than {allowed:g}: {_worst(left, right, each)}"
        for name, each, allowed in (
            ("score", apart.score, tolerance.score),
            ("box", apart.box, tolerance.pixels),
            ("keypoint", apart.keypoint, tolerance.pixels),
            ("mask", apart.mask, tolerance.mask),
        )
        if _largest(each) > allowed
    ]
    return Match(
        len(pairs),
        len(lonely) - len(accused),
        accused,
        score,
        box,
        keypoint,
        apart.min_oks,
        tuple(problems),
        mask=mask,
        masks=int(np.count_nonzero(apart.cells)),
        min_mask_iou=float(apart.mask_iou.min()) if apart.mask_iou.size else None,
        rms={name: _rms(getattr(apart, name)) for name in ("score", "box", "keypoint", "mask")},
    )


def _largest(distances: Floats) -> float:
    return float(distances.max(initial=0.0))


def _rms(distances: Floats) -> float:
    return float(np.sqrt(np.mean(distances**2))) if distances.size else 0.0


def _worst(left: Objects, right: Objects, distances: Floats) -> str:
    """Name the pair that differs most, as each side has it."""
    index = int(distances.argmax())
    return f"detection {index}: wanted {left.describe(index)}, got {right.describe(index)}"
