"""Find the nearest size that works if one fails: multiples of 32, the total stride of most networks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

_STEP = 32
_SECONDS = 10.0
"""Time limit of the search."""


def nearest_size(dims: Mapping[str, int], error: Callable[[Mapping[str, int]], object]) -> dict[str, int]:
    """Return the sizes nearest to `dims` at which there is no `error`, {} if none is found in time.

    For 481 x 641 it tries 480 x 640, 512 x 640, 480 x 672, 512 x 672, and the squares of these sides.
    """
    started = time.monotonic()
    for sizes in _candidates(dims):
        if time.monotonic() - started > _SECONDS:
            break
        if not error(sizes):
            return sizes
    return {}


def _candidates(dims: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield other sizes, nearest first. Sides become multiples of 32; dimensions below 32 stay."""
    sides = [name for name, size in dims.items() if size >= _STEP]
    nearest_multiples = {name: _multiples(dims[name]) for name in sides}
    nearby = [
        {**dims, **{name: nearest_multiples[name][step(index)] for index, name in enumerate(sides)}}
        for step in (lambda _: 0, lambda index: index % 2, lambda index: 1 - index % 2, lambda _: 1)
        if sides
    ]
    squares = [{**dims, **dict.fromkeys(sides, side)} for name in sides for side in nearest_multiples[name]]
    yield from (each for each in [*nearby, *squares] if each != dims)


def _multiples(size: int) -> tuple[int, int]:
    """Return the nearest multiple of 32, then the second nearest."""
    below = size // _STEP * _STEP
    pair = (below, below + _STEP)
    return pair if size - below <= _STEP // 2 else (pair[1], pair[0])
