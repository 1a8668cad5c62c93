"""Resample pictures in float64 without rounding: rows first, then columns.

Every interpolation gives each output position a few source positions ("taps") and their weights. With i the output
position, `size` the source's size and `new_size` the output's:

- `bilinear`: half-pixel centres: the two taps around (i + 0.5) * size / new_size - 0.5, clamped to the picture.
- `bilinear-antialias`: a triangle that reaches max(1, size / new_size) to each side of its centre
  (i + 0.5) * (size / new_size), cut off at the edges; weights are divided by their sum. Same as Pillow's BILINEAR,
  and torchvision's on PIL images, except that those round to 8 bits after each of the two steps.
- `nearest`: the one tap floor((i + 0.5) * size / new_size), as in Pillow.
- `bicubic`: four taps around the same centre as `bilinear`, weighted by the cubic kernel with a = -0.75, clamped
  to the picture: cv2.INTER_CUBIC, and torch.nn.functional.interpolate without antialias. It overshoots at edges,
  so the result is clipped to 0..255.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import Interpolation

_CUBIC_A = -0.75
"""The cubic kernel's only parameter."""


ENLARGING_REACH = 2
"""Source pixels on each side that a pixel of an upscaled picture depends on."""


class FilterTaps(Struct, frozen=True):
    """Source positions and weights [outputs, taps] of output positions; unused taps have weight 0."""

    indices: NDArray[np.intp]
    weights: NDArray[np.float64]


def filter_taps(interpolation: Interpolation, size: int, new_size: int, outputs: range) -> FilterTaps:
    """Return the taps of the output positions `outputs` of `new_size`."""
    middle: NDArray[np.float64] = np.arange(outputs.start, outputs.stop, dtype=np.float64) + 0.5
    match interpolation:
        case "nearest":
            at = np.floor(middle * size / new_size).astype(np.intp)[:, None]
            return FilterTaps(at, np.ones(at.shape))
        case "bilinear":
            position = np.clip(middle * size / new_size - 0.5, 0, size - 1)
            first = np.floor(position)
            rest = position - first
            return _clamped_taps(first, (0, 1), (1 - rest, rest), size)
        case "bicubic":
            position = middle * size / new_size - 0.5
            first = np.floor(position)
            t = position - first
            return _clamped_taps(
                first,
                (-1, 0, 1, 2),
                (_cubic_outer(t + 1), _cubic_inner(t), _cubic_inner(1 - t), _cubic_outer(2 - t)),
                size,
            )
        case "bilinear-antialias":
            return _triangle_taps(middle, size, new_size)


def enlarging_taps(size: int, scale: int, outputs: range) -> FilterTaps:
    """Return the `bicubic` taps of upscaling by an integer factor.

    Weights depend only on the position modulo `scale`, so a tile gets bit-identical values to the whole picture.
    """
    cell, remainder = np.divmod(np.arange(outputs.start, outputs.stop), scale)
    reach = ENLARGING_REACH  # taps of the centre pixel of a source that contains all of them
    taps = filter_taps("bicubic", 2 * reach + 1, (2 * reach + 1) * scale, range(reach * scale, (reach + 1) * scale))
    at = cell[:, None] + taps.indices[remainder] - reach
    return FilterTaps(np.clip(at, 0, size - 1), taps.weights[remainder])


def resample(
    pixels: NDArray[Any], columns: FilterTaps, rows: FilterTaps, interpolation: Interpolation
) -> NDArray[np.float64]:
    """Resample pixels [h, w, channels] -> [rows, columns, channels]. `bicubic` is clipped to 0..255."""
    result = weigh_pixels(pixels, columns, rows)
    return np.clip(result, 0, 255) if interpolation == "bicubic" else result


def weigh_pixels(pixels: NDArray[Any], columns: FilterTaps, rows: FilterTaps) -> NDArray[np.float64]:
    """Return the weighted sums of pixels: [h, w, channels] -> [rows, columns, channels].

    Keep the order of the operations: the browser runtime must compute the same bits.
    """
    used, where = np.unique(rows.indices, return_inverse=True)
    lines = _weighted_sum(np.asarray(pixels[used], np.float64).transpose(1, 0, 2), columns.indices, columns.weights)
    return _weighted_sum(lines.transpose(1, 0, 2), where.reshape(rows.indices.shape), rows.weights)


def _weighted_sum(
    source: NDArray[np.float64], at: NDArray[np.intp], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weighted sums along axis 0, added tap by tap: [n, m, channels] -> [outputs, m, channels]."""
    total = np.zeros((len(at), *source.shape[1:]))
    for tap in range(at.shape[1]):
        total += weights[:, tap, None, None] * source[at[:, tap]]
    return total


def _clamped_taps(
    first: NDArray[np.float64], steps: tuple[int, ...], weights: tuple[NDArray[np.float64], ...], size: int
) -> FilterTaps:
    at = np.stack([first + step for step in steps], axis=1).astype(np.intp)
    return FilterTaps(np.clip(at, 0, size - 1), np.stack(weights, axis=1))


def _triangle_taps(middle: NDArray[np.float64], size: int, new_size: int) -> FilterTaps:
    """Return the taps of `bilinear-antialias`, with the operations of Pillow's precompute_coeffs."""
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
    return FilterTaps(np.minimum(position, size - 1).astype(np.intp), weights / total[:, None])


def _cubic_inner(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of a tap at most one pixel away."""
    return ((_CUBIC_A + 2) * x - (_CUBIC_A + 3)) * x * x + 1


def _cubic_outer(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of a tap between one and two pixels away."""
    return ((_CUBIC_A * x - 5 * _CUBIC_A) * x + 8 * _CUBIC_A) * x - 4 * _CUBIC_A
