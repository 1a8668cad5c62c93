"""Which of the two numbers of a size is the width: measured, for no model says it."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.completed import with_ones
from webbuild.manifest import SizeInput
from webbuild.set_head import SetHead
from webbuild.tasks._base import Guess
from webbuild.tasks.set_detector import sized
from webbuild.verify.native import NativeRunner

_SIDE, _TWICE = 512, 1024
_CLOSE = 1e-3
"""Relative distance at which boxes count as twice as wide."""

Order = Literal["width-height", "height-width"]


def with_measured_order(known: Guess, original: NativeRunner) -> Guess:
    """Return the guess with the order that the model itself shows.

    It is run on noise with a square size and with one whose first number is doubled: either all x are doubled, and
    the width is first, or all y. Where neither shows, the order stays as it was guessed from the input's name.

    Raises:
        WebbuildError: `native-failed`.
    """
    raw = known.raw
    if not isinstance(raw, SetHead) or not raw.sized:
        return known
    square, wider = (_boxes(raw, known, original, first) for first in (_SIDE, _TWICE))
    original.close()
    order = _order(square, wider)
    if order is None:
        said = f"input '{raw.sized}': what it does to the boxes tells no order, so that of its name is taken"
        return msgspec.structs.replace(known, assumptions=(*known.assumptions, said))
    guessed = next(spec for spec in known.inputs if isinstance(spec, SizeInput))
    measured = msgspec.structs.replace(guessed, order=order)
    said = f"{sized(measured)}; the order is that which its effect on the boxes shows"
    return msgspec.structs.replace(
        known,
        raw=msgspec.structs.replace(raw, order=order),
        inputs=tuple(measured if spec is guessed else spec for spec in known.inputs),
        assumptions=tuple(said if told == sized(guessed) else told for told in known.assumptions),
    )


def _boxes(raw: SetHead, known: Guess, original: NativeRunner, first: int) -> NDArray[np.float64]:
    """Return the original's boxes [n, 4] for noise and a size of (first, 512)."""
    feeds: dict[str, NDArray[np.float32]] = {}
    for spec in known.inputs:
        if isinstance(spec, SizeInput):
            feeds[spec.name] = np.array([first, _SIDE], np.float32).reshape(spec.shape)
        else:
            feeds[spec.name] = np.random.default_rng(0).random(spec.shape, np.float32)
    fed = with_ones(raw, feeds)
    outputs = original.run({name: array.astype(original.types[name]) for name, array in fed.items()})
    return outputs[raw.boxes].reshape(-1, 4).astype(np.float64)


def _order(square: NDArray[np.float64], wider: NDArray[np.float64]) -> Order | None:
    """Return which coordinates were doubled; None for neither, for both, and for nothing but zeros."""
    factors = np.array([[2.0, 1.0, 2.0, 1.0], [1.0, 2.0, 1.0, 2.0]])
    scale = np.abs(square).max(initial=0.0)
    same = [bool(np.abs(square * factor - wider).max(initial=0.0) <= _CLOSE * scale) for factor in factors]
    if scale == 0 or not np.isfinite(scale) or same[0] == same[1]:
        return None
    return "width-height" if same[0] else "height-width"
