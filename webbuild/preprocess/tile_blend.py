"""Tile blending: each tile is blended over the tiles before it. `TilePlan` has the formulas of the weights."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.preprocess.tiles import Span, Tile


class Ramps(Struct, frozen=True):
    """A tile's range along an axis of the result, and the ramps u_k (`rise`) and u_(k + 1) (`fall`) of its pixels.

    Both have the shape [end - start].
    """

    start: int
    end: int
    rise: NDArray[np.float64]
    fall: NDArray[np.float64]


def _tile_ramps(span: Span, feather: int, scale: int, length: int) -> Ramps:
    """Return the ramps of a tile along an axis on which the result has `length` pixels."""
    is_first, is_last = span.start == 0, span.end * scale >= length
    start = 0 if is_first else (span.start - feather) * scale
    end = length if is_last else min(length, (span.end + feather) * scale)
    x = (np.arange(start, end) + 0.5) / scale
    rise = np.ones(len(x)) if is_first else _ramp(x, span.start, feather)
    fall = np.zeros(len(x)) if is_last else _ramp(x, span.end, feather)
    return Ramps(start, end, rise, fall)


def _ramp(x: NDArray[np.float64], cut: int, feather: int) -> NDArray[np.float64]:
    if not feather:
        return (x > cut).astype(np.float64)
    ramp: NDArray[np.float64] = np.clip((x - cut + feather) / (2 * feather), 0, 1)
    return ramp


def _tile_shares(columns: Ramps, rows: Ramps) -> NDArray[np.float64]:
    """Return the opacity [rows, columns] with which a tile is blended over the tiles before it.

    opacity = own weight / sum of the weights of all tiles so far. Blending in order gives each tile its own weight, and
    the weights of the tiles so far always sum to 1.
    """
    down, across = rows.rise - rows.fall, columns.rise - columns.fall
    # Weights of the tile rows above sum to 1 - u_k; weights of this tile row up to this tile to 1 - u_(k + 1).
    so_far = (1 - rows.rise)[:, None] + np.outer(down, 1 - columns.fall)
    own = np.outer(down, across)
    shares: NDArray[np.float64] = np.divide(own, so_far, out=np.zeros_like(own), where=so_far > 0)
    return shares


def put_tile(result: NDArray[np.uint8], drawn: NDArray[np.uint8], tile: Tile, scale: int, feather: int) -> None:
    """Blend a tile's output `drawn`, RGBA [height, width, 4], into `result`, `scale` times as large as the picture."""
    height, width = result.shape[:2]
    rows, columns = _tile_ramps(tile.row, feather, scale, height), _tile_ramps(tile.column, feather, scale, width)
    top, left = tile.row.offset * scale, tile.column.offset * scale
    into = result[rows.start : rows.end, columns.start : columns.end]
    visible = drawn[rows.start - top : rows.end - top, columns.start - left : columns.end - left]
    before = into.astype(np.float64)
    into[:] = np.rint(before + _tile_shares(columns, rows)[..., None] * (visible - before)).astype(np.uint8)
