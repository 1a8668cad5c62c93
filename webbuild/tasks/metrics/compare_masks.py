"""Compare the masks of a prompt by their symmetric difference, and by their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from webbuild.compare.comparison import ComparedOutput, Comparison, Mismatch, NoSignal
from webbuild.compare.tolerances import Tolerance
from webbuild.tasks.decoding.mask_logits import ObjectMask


def compare_object_masks(
    subject: ComparedOutput, want: Sequence[ObjectMask], got: Sequence[ObjectMask], tolerance: Tolerance
) -> list[Comparison]:
    """Compare masks over one picture, in their order: symmetric difference and score of each.

    Masks that cover nothing or the whole picture have no signal; `mark_vacuous` fails if no sample has a signal.
    """
    if len(want) != len(got) or any(one.mask.shape != other.mask.shape for one, other in zip(want, got, strict=True)):
        shapes = [str([list(each.mask.shape) for each in side]) for side in (want, got)]
        return [_different(subject.with_quantity("mask"), "shape", tolerance.mask, *shapes)]
    pairs = list(zip(want, got, strict=True))
    return [
        _compare_masks(subject.with_quantity("mask"), pairs, tolerance.mask),
        _compare_scores(subject, pairs, tolerance),
    ]


Pairs = Sequence[tuple[ObjectMask, ObjectMask]]


def _compare_masks(subject: ComparedOutput, pairs: Pairs, allowed: float) -> Comparison:
    """Compare by the largest (symmetric difference - 1 pixel) / union of a pair."""
    covered = np.array([(one.mask | other.mask).sum() for one, other in pairs])
    differing = np.array([(one.mask ^ other.mask).sum() for one, other in pairs])
    parts = np.maximum(differing - 1, 0) / np.maximum(covered, 1)
    worst = int(parts.argmax())
    varied = sum(bool(one.mask.any() and not one.mask.all()) for one, _ in pairs)
    differs = bool(parts[worst] > allowed)
    reason: Mismatch | NoSignal | None = "too-far" if differs else None if varied else "constant"
    return Comparison(
        subject=subject,
        verdict="DIFFERS" if differs else "OK",
        tolerance=allowed,
        max_abs=float(parts[worst]),
        worst=(worst,),
        want=f"{int(pairs[worst][0].mask.sum())} pixels",
        got=f"{int(pairs[worst][1].mask.sum())} pixels",
        signal=float(varied),
        reason=reason,
        rms=float(np.sqrt(np.mean(parts**2))),
        similarity=float(np.min(1 - differing / np.maximum(covered, 1))),
    )


def _compare_scores(subject: ComparedOutput, pairs: Pairs, tolerance: Tolerance) -> Comparison:
    """Compare predicted IoUs. They may be above 1; the tolerance is then relative to the largest."""
    want, got = (np.array([pair[side].score for pair in pairs]) for side in (0, 1))
    about, largest = subject.with_quantity("score"), float(np.abs(want).max())
    if not (np.isfinite(want).all() and np.isfinite(got).all()):
        return _different(about, "not-finite", tolerance.score, str(want.tolist()), str(got.tolist()))
    differences, allowed = np.abs(want - got), tolerance.score * max(1.0, largest)
    worst = int(differences.argmax())
    differs = bool(differences[worst] > allowed)
    return Comparison(
        subject=about,
        verdict="DIFFERS" if differs else "OK",
        tolerance=allowed,
        max_abs=float(differences[worst]),
        worst=(worst,),
        want=f"{want[worst]:.4g}",
        got=f"{got[worst]:.4g}",
        signal=largest if math.isfinite(largest) else 0.0,
        reason="too-far" if differs else None,
        rms=float(np.sqrt(np.mean(differences**2))),
    )


def _different(subject: ComparedOutput, why: Mismatch, allowed: float, want: str, got: str) -> Comparison:
    return Comparison(subject=subject, verdict="DIFFERS", tolerance=allowed, want=want, got=got, reason=why)
