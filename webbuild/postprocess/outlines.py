"""Contours of a bitmap: the convex hulls of its connected components and of the holes in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bitmap = NDArray[np.bool_]


def outline_hulls(bitmap: Bitmap, most: int) -> list[Ints]:
    """Return the convex hulls [n, 2] (x, y of pixels) of at most `most` outlines in a bitmap [height, width].

    The outlines and their order are those of OpenCV's `findContours` with `RETR_LIST`: the last one found comes first.
    Set pixels are connected at edges or corners, pixels of a hole at edges only. A hole's outline consists of the set
    pixels around it.
    """
    outlines = [*_components(_Runs(bitmap, reach=1)), *_holes(_Runs(~bitmap, reach=0), bitmap.shape)]
    outlines.sort(key=lambda each: each[0], reverse=True)
    return [_hull(*extents) for _, extents in outlines[:most]]


class _Runs:
    """Horizontal runs of set pixels, and the connected component of each run, named by the component's first run.

    Runs of neighbouring rows touch where they share a column; with a `reach` of 1 also at corners.
    """

    def __init__(self, bitmap: Bitmap, reach: int) -> None:
        change = np.diff(np.pad(bitmap, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        self.rows, self.begins = np.nonzero(change == 1)
        self.ends = np.nonzero(change == -1)[1]
        stride = bitmap.shape[1] + 3
        above = (self.rows - 1) * stride
        first = np.searchsorted(self.rows * stride + self.ends, above + self.begins - reach, side="right")
        last = np.searchsorted(self.rows * stride + self.begins, above + self.ends + reach, side="left")
        parents = list(range(len(self.rows)))
        for run, (start, stop) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            for other in range(start, stop):
                one, two = sorted((_root(parents, run), _root(parents, other)))
                parents[two] = one
        self.roots = np.array([_root(parents, run) for run in range(len(parents))], np.int64)

    def groups(self) -> Iterator[Ints]:
        """Yield the indices of each component's runs, from the top row down."""
        order = np.argsort(self.roots, kind="stable")
        starts = np.flatnonzero(np.diff(self.roots[order], prepend=-1))
        yield from np.split(order, starts[1:]) if order.size else ()


def _root(parents: list[int], run: int) -> int:
    while parents[run] != run:
        parents[run] = parents[parents[run]]
        run = parents[run]
    return run


_Outline = tuple[tuple[int, int], tuple[int, Ints, Ints]]
"""Row and column of its first pixel; its top row, and the smallest and largest column of each row."""


def _components(runs: _Runs) -> Iterator[_Outline]:
    for group in runs.groups():
        rows, begins, ends = runs.rows[group], runs.begins[group], runs.ends[group]
        yield (int(rows[0]), int(begins[0])), _extents(rows, begins, ends - 1)


def _holes(runs: _Runs, shape: tuple[int, ...]) -> Iterator[_Outline]:
    """Yield each hole's outline. A hole dilated to its edge neighbours has the same hull as its outline."""
    height, width = shape
    for group in runs.groups():
        rows, begins, ends = runs.rows[group], runs.begins[group], runs.ends[group]
        if rows[0] == 0 or rows[-1] == height - 1 or begins.min() == 0 or ends.max() == width:
            continue
        around = np.concatenate([rows - 1, rows, rows + 1])
        lefts, rights = np.concatenate([begins, begins - 1, begins]), np.concatenate([ends - 1, ends, ends - 1])
        yield (int(rows[0]), int(begins[0]) - 1), _extents(around, lefts, rights)


def _extents(rows: Ints, lefts: Ints, rights: Ints) -> tuple[int, Ints, Ints]:
    top, bottom = int(rows.min()), int(rows.max())
    least = np.full(bottom - top + 1, np.iinfo(np.int64).max)
    most = np.full(bottom - top + 1, -1)
    np.minimum.at(least, rows - top, lefts)
    np.maximum.at(most, rows - top, rights)
    return top, least, most


def _hull(top: int, lefts: Ints, rights: Ints) -> Ints:
    """Return the convex hull [n, 2] of the ends of all rows: Andrew's monotone chain, from the top down and back."""
    points = [(x, top + at) for at, pair in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)) for x in pair]
    points = list(dict.fromkeys(points))
    if len(points) < 3:
        return np.array(points, np.int64)
    return np.array([*_chain(points)[:-1], *_chain(points[::-1])[:-1]], np.int64)


def _chain(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    chain: list[tuple[int, int]] = []
    for x, y in points:
        while len(chain) > 1:
            (x1, y1), (x2, y2) = chain[-2:]
            if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain
