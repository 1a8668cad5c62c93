"""Instance masks from weighted prototypes: the pixels of the model's input that an object covers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement


class Mask(Struct, frozen=True):
    """A grid over a rectangle of the source picture, one cell for each pixel of the model's input.

    `x`, `y`, `width`, `height` are the rectangle in source pixels. `data` has `rows` x `columns` bytes in row-major
    order, 1 on the object and 0 elsewhere.
    """

    x: float
    y: float
    width: float
    height: float
    columns: int
    rows: int
    data: bytes = b""

    @property
    def grid(self) -> NDArray[np.bool_]:
        """The cells [rows, columns]."""
        return np.frombuffer(self.data, np.bool_).reshape(self.rows, self.columns)


def process_mask(
    box: NDArray[Any], coefficients: NDArray[Any], protos: NDArray[Any], placement: ImagePlacement
) -> Mask:
    """Return the mask of an object; `SegmentTask` has the formula.

    Keep the order of the operations: the browser runtime must compute the same bits.

    Args:
        box: x1 y1 x2 y2 in input pixels.
        coefficients: [masks].
        protos: [masks, height, width].
        placement: the picture's placement in the input.
    """
    x1, y1, x2, y2 = (float(value) for value in box)
    left, columns = _cell_range(x1, x2, placement.left, placement.width, placement.input_width)
    top, rows = _cell_range(y1, y2, placement.top, placement.height, placement.input_height)
    inside = _sample_mask((left, columns), (top, rows), coefficients, protos, placement) if columns and rows else b""
    corners = placement.to_source(np.array([[left, top], [left + columns, top + rows]]), clamp=False)
    (x, y), (width, height) = corners[0].tolist(), (corners[1] - corners[0]).tolist()
    return Mask(x, y, width, height, columns, rows, inside)


def mask_difference(first: Mask, second: Mask) -> tuple[int, int]:
    """Return the number of cells that exactly one of two masks covers, and the number in their union.

    Masks with cells of different sizes count as disjoint.
    """
    ours, theirs = int(first.grid.sum()), int(second.grid.sum())
    if not ours or not theirs:
        return ours + theirs, ours + theirs
    across, down = first.width / first.columns, first.height / first.rows
    same_cells = math.isclose(second.width / second.columns, across, rel_tol=1e-6)
    same_cells = same_cells and math.isclose(second.height / second.rows, down, rel_tol=1e-6)
    x, y = round((second.x - first.x) / across), round((second.y - first.y) / down)
    common = first.grid[max(0, y) : max(0, y + second.rows), max(0, x) : max(0, x + second.columns)]
    other = second.grid[max(0, -y) : max(0, first.rows - y), max(0, -x) : max(0, first.columns - x)]
    shared = int((common & other).sum()) if same_cells else 0
    return ours + theirs - 2 * shared, ours + theirs - shared


def _cell_range(low: float, high: float, start: int, size: int, limit: int) -> tuple[int, int]:
    """Return the first pixel with low <= centre < high, inside picture and input, and the number of such pixels."""
    least, most = max(start, 0), min(start + size, limit)
    if math.isnan(low) or math.isnan(high):
        return least, 0
    first, end = (math.ceil(min(max(edge - 0.5, least), most)) for edge in (low, high))
    return first, max(0, end - first)


def _sample_mask(
    across: tuple[int, int],
    down: tuple[int, int],
    coefficients: NDArray[Any],
    protos: NDArray[Any],
    placement: ImagePlacement,
) -> bytes:
    """Sum the weighted prototypes around the cells, sample the sum at the cells' centres, and threshold it at 0."""
    x0, x1, fx = _bilinear_taps(*across, placement.input_width, protos.shape[2])
    y0, y1, fy = _bilinear_taps(*down, placement.input_height, protos.shape[1])
    part = protos[:, y0[0] : y1[-1] + 1, x0[0] : x1[-1] + 1].astype(np.float64)
    total = np.zeros(part.shape[1:])
    for coefficient, proto in zip(coefficients.astype(np.float64), part, strict=True):
        total += coefficient * proto
    x0, x1, y0, y1 = x0 - x0[0], x1 - x0[0], y0 - y0[0], y1 - y0[0]
    upper = (1 - fx) * total[y0][:, x0] + fx * total[y0][:, x1]
    lower = (1 - fx) * total[y1][:, x0] + fx * total[y1][:, x1]
    fy = fy[:, None]
    return bytes(((1 - fy) * upper + fy * lower > 0).tobytes())


def _bilinear_taps(
    first: int, count: int, size: int, grid: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Return for `count` of `size` pixels the two nearest grid positions, and the second's weight, each [count]."""
    position = np.clip((np.arange(first, first + count) + 0.5) * grid / size - 0.5, 0, grid - 1)
    low = np.floor(position).astype(np.intp)
    return low, np.minimum(low + 1, grid - 1), position - low
