"""Grows a set of nodes group by group: the heaviest group first; a group that fails is halved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate

_SMALLEST_SHARE = 0.005
"""Groups with a smaller share of the total weight are not halved."""


Convert = Callable[[Collection[str]], Collection[str] | None]
"""Tries a set of names; returns the names converted in the graph, empty if it is wrong, None if the budget is spent."""


def grow(names: Sequence[str], shares: Mapping[str, float], convert: Convert) -> None:
    """Grow a set of float16 nodes group by group until no further group passes.

        abcdefgh wrong  ->  abcd right -> abcd + efgh wrong -> abcd + ef wrong, abcd + gh right -> abcdgh + e ...

    Rounding errors add up, so a group may be right alone and wrong with others: the heaviest group is tried first.

    Args:
        names: the nodes in graph order; converting all of them is known to be wrong.
        shares: the share of each node in the total weight.
        convert: tries a set. It may leave out nodes that do not pay without their neighbours.
    """
    right: set[str] = set()
    left_out: set[str] = set()
    waiting = _halves(names, shares)
    while waiting:
        group = max(waiting, key=lambda some: sum(shares[name] for name in some))  # the first of equal groups
        waiting.remove(group)
        converted = convert(right.union(group))
        if converted is None:
            return
        if converted:
            left_out.update(right.union(group).difference(converted))
            right = set(converted)
        else:
            waiting += _halves(group, shares)
    if left_out := left_out - right:  # their neighbours may be float16 now
        convert(right | left_out)


def _halves(group: Sequence[str], shares: Mapping[str, float]) -> list[Sequence[str]]:
    """Split a group into two of about the same weight; return none if it is small or has one node."""
    sums = list(accumulate(shares[name] for name in group))
    if len(group) < 2 or sums[-1] < _SMALLEST_SHARE:
        return []
    middle = min(range(1, len(group)), key=lambda index: abs(2 * sums[index - 1] - sums[-1]))
    return [group[:middle], group[middle:]]
