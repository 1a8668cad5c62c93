"""Resampling a picture, in float64 and never rounded: along its rows first, then along its columns.

Every resampler gives each output position a few source positions ("taps") and their weights. With i an output
position, `size` the source's and `new_size` the output's:

- `bilinear`: half-pixel centres: the two taps around (i + 0.5) * size / new_size - 0.5, clamped to the picture.
- `bilinear-antialias`: a triangle as wide as `scale` = max(1, size / new_size) to each side of its centre
  (i + 0.5) * (size / new_size), cut off at the edges, its weights divided by their sum. Pillow's BILINEAR, and so
  torchvision's on pictures, which however rounds to 8 bits after each of the two steps.
- `nearest`: the one tap floor((i + 0.5) * size / new_size), as in Pillow.
- `bicubic`: four taps around the same centre as `bilinear`, weighted by the cubic kernel with a = -0.75, clamped
  to the picture: cv2.INTER_CUBIC, and torch.nn.functional.interpolate without antialias. It overshoots at edges;
  the result is clipped to 0..255, as wherever pictures have 8 bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest import Resampler

_A = -0.75
"""The cubic kernel's only parameter."""


class Taps(Struct, frozen=True):
    """Source positions and weights [outputs, taps] of some output positions; unused taps have weight 0."""

    at: NDArray[np.intp]
    weights: NDArray[np.float64]


def taps(resampler: Resampler, size: int, new_size: int, outputs: range) -> Taps:
    """Return the taps of the output positions `outputs` of `new_size`."""
    middle: NDArray[np.float64] = np.arange(outputs.start, outputs.stop, dtype=np.float64) + 0.5
    match resampler:
        case "nearest":
            at = np.floor(middle * size / new_size).astype(np.intp)[:, None]
            return Taps(at, np.ones(at.shape))
        case "bilinear":
            position = np.clip(middle * size / new_size - 0.5, 0, size - 1)
            first = np.floor(position)
            rest = position - first
            return _clamped(first, (0, 1), (1 - rest, rest), size)
        case "bicubic":
            position = middle * size / new_size - 0.5
            first = np.floor(position)
            t = position - first
            return _clamped(first, (-1, 0, 1, 2), (_outer(t + 1), _inner(t), _inner(1 - t), _outer(2 - t)), size)
        case "bilinear-antialias":
            return _triangle(middle, size, new_size)


def resample(pixels: NDArray[Any], columns: Taps, rows: Taps, resampler: Resampler) -> NDArray[np.float64]:
    """Resample pixels [h, w, channels] to [rows, columns, channels].

    The order of the operations is part of the definition: the runtime computes the same bits.
    """
    used, where = np.unique(rows.at, return_inverse=True)
    lines = _weighted(np.asarray(pixels[used], np.float64).transpose(1, 0, 2), columns.at, columns.weights)
    result = _weighted(lines.transpose(1, 0, 2), where.reshape(rows.at.shape), rows.weights)
    return np.clip(result, 0, 255) if resampler == "bicubic" else result


def _weighted(source: NDArray[np.float64], at: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted sums along the first axis, tap after tap."""
    total = np.zeros((len(at), *source.shape[1:]))
    for tap in range(at.shape[1]):
        total += weights[:, tap, None, None] * source[at[:, tap]]
    return total


def _clamped(
    first: NDArray[np.float64], steps: tuple[int, ...], weights: tuple[NDArray[np.float64], ...], size: int
) -> Taps:
    at = np.stack([first + step for step in steps], axis=1).astype(np.intp)
    return Taps(np.clip(at, 0, size - 1), np.stack(weights, axis=1))


def _triangle(middle: NDArray[np.float64], size: int, new_size: int) -> Taps:
    """Follow Pillow's precompute_coeffs, operation by operation."""
    scale = size / new_size
    support = max(1.0, scale)
    narrowing = 1.0 / support
    centre = middle * scale
    first = np.maximum(np.trunc(centre - support + 0.5), 0)
    end = np.minimum(np.trunc(centre + support + 0.5), size)
    position = first[:, None] + np.arange(math.ceil(support) * 2 + 1)
    weights = np.maximum(1 - np.abs((position - centre[:, None] + 0.5) * narrowing), 0)
    weights[position >= end[:, None]] = 0
    total = np.zeros(len(middle))
    for tap in range(weights.shape[1]):
        total += weights[:, tap]
    return Taps(np.minimum(position, size - 1).astype(np.intp), weights / total[:, None])


def _inner(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight of a tap at most one pixel away."""
    return ((_A + 2) * x - (_A + 3)) * x * x + 1


def _outer(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight of a tap between one and two pixels away."""
    return ((_A * x - 5 * _A) * x + 8 * _A) * x - 4 * _A
