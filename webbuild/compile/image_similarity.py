"""Similarity between a model's output and its input image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.preprocess.image import LUMA

Numbers = NDArray[np.float64]

_LUMA, _EDGES, _CHANNEL = 0.5, 0.3, 0.3
"""Minimum correlations for an output to resemble the input: brightness, edges, each colour channel."""
_REACH = 2
"""Largest shift of the output that is tried, in pixels of the input."""


class ImageSimilarity(Struct, frozen=True):
    """Correlations of outputs with input pictures, at the input's size: the smaller value of two photographs.

    - `luma`: the correlation of brightness, below 0 if inverted; `edges`: of its gradients.
    - `channel`: the smallest correlation of a colour channel, with the channels in `order`.
    - `shift`: the offset in pixels of the input, down and right, at which the edges agree best.
    """

    luma: float
    edges: float
    channel: float
    order: str
    shift: tuple[int, int]

    @property
    def is_picture(self) -> bool:
        """Whether the output is a version of the input picture."""
        return self.luma >= _LUMA and self.edges >= _EDGES and self.channel >= _CHANNEL and not any(self.shift)


def measure_similarity(canvases: Sequence[Numbers], outputs: Sequence[NDArray[Any]]) -> ImageSimilarity:
    """Compare pictures, RGB [H, W, 3], with the model's outputs, [3, s H, s W]."""
    pairs = [
        (canvas.transpose(2, 0, 1), shrink(planes, len(planes[0]) // len(canvas)))
        for canvas, planes in zip(canvases, outputs, strict=True)
    ]
    apart = sum(_correlation(small[0] - small[2], picture[0] - picture[2]) for picture, small in pairs)
    order = "bgr" if apart < 0 else "rgb"
    alike = [(picture, small[::-1] if order == "bgr" else small) for picture, small in pairs]
    grey = [(_grey(picture), _grey(small)) for picture, small in alike]
    shifts = [_best_shift(*each) for each in grey]
    return ImageSimilarity(
        luma=min(_correlation(*each) for each in grey),
        edges=min(_correlation(_edges(one), _edges(other)) for one, other in grey),
        channel=min(_correlation(*each) for picture, small in alike for each in zip(picture, small, strict=True)),
        order=order,
        shift=max(shifts, key=lambda shift: abs(shift[0]) + abs(shift[1])),
    )


def shrink(planes: NDArray[Any], scale: int) -> Numbers:
    """Average cells of scale x scale, [C, s H, s W] -> [C, H, W]."""
    channels, rows, columns = planes.shape
    cells = planes.astype(np.float64).reshape(channels, rows // scale, scale, columns // scale, scale)
    small: Numbers = cells.mean(axis=(2, 4))
    return small


def _grey(planes: Numbers) -> Numbers:
    return np.tensordot(np.array(LUMA), planes, 1)


def _edges(grey: Numbers) -> Numbers:
    """Return the differences of neighbouring pixels, across and down: [H, W] -> [2, H - 1, W - 1]."""
    return np.stack([np.diff(grey, axis=1)[:-1], np.diff(grey, axis=0)[:, :-1]])


def _best_shift(picture: Numbers, small: Numbers) -> tuple[int, int]:
    one, other = _edges(picture), _edges(small)
    inside = (slice(None), slice(_REACH, -_REACH), slice(_REACH, -_REACH))
    tried = [(down, right) for down in range(-_REACH, _REACH + 1) for right in range(-_REACH, _REACH + 1)]
    return max(
        sorted(tried, key=lambda shift: shift != (0, 0)),
        key=lambda shift: _correlation(one[inside], np.roll(other, (-shift[0], -shift[1]), (1, 2))[inside]),
    )


def _correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return Pearson's correlation, 0 if either side is constant."""
    first, second = (each.ravel() - each.mean() for each in (one, other))
    size = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / size if size > 0 else 0.0
