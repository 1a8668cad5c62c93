"""How a row is divided into groups, so that few numbers are compared with each other to find the best K."""

from __future__ import annotations

import itertools
import math
from functools import cache

MOST = 2048
"""How many numbers are compared with each other at once: a table of 16 MiB of float32."""


def rank_levels(length: int, chosen: int) -> tuple[int, ...]:
    """Return the sizes of the groups that are compared, largest first and 1 last; empty where there are none.

    In each level at most `MOST` groups are compared and `chosen` are kept; the groups of the next level are parts of
    those. The last group of the row may be filled up. The fewest levels win, then the fewest comparisons.
    """
    first = math.ceil(length / MOST)
    ways = [(size, *rest) for size in range(first, 4 * first + 1) if (rest := _parts(size, chosen)) is not None]
    ways = [sizes for sizes in ways if len(sizes) == 1 or math.ceil(length / sizes[0]) > chosen]
    return min(ways, key=lambda sizes: (len(sizes), _comparisons(sizes, length, chosen)), default=())


@cache
def _parts(size: int, chosen: int) -> tuple[int, ...] | None:
    """Return the sizes of the levels below groups of a size, None where too many would be compared."""
    if size == 1:
        return ()
    ways = []
    for part in range(1, size):
        if size % part == 0 and chosen * size // part <= MOST:
            rest = _parts(part, chosen)
            if rest is not None:
                ways.append((part, *rest))
    return min(ways, key=lambda sizes: (len(sizes), _comparisons(sizes, chosen * size, chosen)), default=None)


def _comparisons(sizes: tuple[int, ...], length: int, chosen: int) -> int:
    groups = [
        math.ceil(length / sizes[0]),
        *(chosen * above // size for above, size in itertools.pairwise(sizes)),
    ]
    return sum(count * count for count in groups)
