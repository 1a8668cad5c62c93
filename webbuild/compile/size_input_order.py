"""Measures whether a size input is (width, height) or (height, width), by running the model."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import SizeInput
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.reference import add_constant_masks
from webbuild.runners.native import NativeRunner
from webbuild.tasks.recognition.detr import describe_size_input
from webbuild.tasks.task_match import TaskMatch

_SQUARE_SIDE, _DOUBLED_SIDE = 512, 1024
_TOLERANCE = 1e-3
"""Relative distance at which boxes count as twice as wide."""

SizeOrder = Literal["width-height", "height-width"]


def with_measured_size_order(match: TaskMatch, original: NativeRunner) -> TaskMatch:
    """Return the match with the measured order of its size input.

    The model runs on noise with a square size, and with the first number doubled. If all x double, width is first; if
    all y double, height is first. Otherwise the order guessed from the input's name stays.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    spec = match.postprocess
    if not isinstance(spec, DetrPostprocess) or not spec.size_input:
        return match
    square, wider = (_run_boxes(spec, match, original, first) for first in (_SQUARE_SIDE, _DOUBLED_SIDE))
    original.close()
    order = _infer_order(square, wider)
    if order is None:
        order_note = f"input '{spec.size_input}': its effect on the boxes shows no order, so its name decides"
        return msgspec.structs.replace(match, assumptions=(*match.assumptions, order_note))
    guessed = next(spec for spec in match.inputs if isinstance(spec, SizeInput))
    measured = msgspec.structs.replace(guessed, order=order)
    order_note = f"{describe_size_input(measured)}; its effect on the boxes shows the order"
    return msgspec.structs.replace(
        match,
        postprocess=msgspec.structs.replace(spec, size_order=order),
        inputs=tuple(measured if spec is guessed else spec for spec in match.inputs),
        assumptions=tuple(
            order_note if assumption == describe_size_input(guessed) else assumption for assumption in match.assumptions
        ),
    )


def _run_boxes(spec: DetrPostprocess, match: TaskMatch, original: NativeRunner, first: int) -> NDArray[np.float64]:
    """Return the original's boxes [n, 4] for noise and a size of (first, 512)."""
    feeds: dict[str, NDArray[np.float32]] = {}
    for fed in match.inputs:
        if isinstance(fed, SizeInput):
            feeds[fed.name] = np.array([first, _SQUARE_SIDE], np.float32).reshape(fed.shape)
        else:
            feeds[fed.name] = np.random.default_rng(0).random(fed.shape, np.float32)
    masked = add_constant_masks(spec, feeds)
    outputs = original.run({name: array.astype(original.input_dtypes[name]) for name, array in masked.items()})
    return outputs[spec.boxes].reshape(-1, 4).astype(np.float64)


def _infer_order(square: NDArray[np.float64], wider: NDArray[np.float64]) -> SizeOrder | None:
    """Return the order by the doubled coordinates; None if neither or both doubled, or if all boxes are zero."""
    factors = np.array([[2.0, 1.0, 2.0, 1.0], [1.0, 2.0, 1.0, 2.0]])
    scale = np.abs(square).max(initial=0.0)
    same = [bool(np.abs(square * factor - wider).max(initial=0.0) <= _TOLERANCE * scale) for factor in factors]
    if scale == 0 or not np.isfinite(scale) or same[0] == same[1]:
        return None
    return "width-height" if same[0] else "height-width"
