"""A set of nodes grown group by group: the heaviest first, and halves of a group that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate

SMALLEST_SHARE = 0.005
"""Of the whole: groups that weigh less are not halved any more."""


Convert = Callable[[Collection[str]], Collection[str] | None]
"""Returns which of some names are in the graph that was tried, none where it is wrong, None where no more may be."""


def grow(names: Sequence[str], shares: Mapping[str, float], convert: Convert) -> None:
    """Grow a set of float16 nodes group by group until no further group passes.

        wrong: abcdefgh  ->  abcd? right -> abcd + efgh? wrong -> abcd + ef? wrong, abcd + gh? right -> abcdgh + e? ...

    Rounding errors add up, so a group may be right alone and wrong with the others: what weighs most is tried first.

    Args:
        names: of which all together are wrong, in the order of the graph.
        shares: what each weighs, as a part of the whole.
        convert: tries a set. It may leave out names that are not worth it without their neighbours.
    """
    right: set[str] = set()
    left_out: set[str] = set()
    waiting = _halves(names, shares)
    while waiting:
        group = max(waiting, key=lambda some: sum(shares[name] for name in some))  # of alike groups the first
        waiting.remove(group)
        converted = convert(right.union(group))
        if converted is None:
            return
        if converted:
            left_out.update(right.union(group).difference(converted))
            right = set(converted)
        else:
            waiting += _halves(group, shares)
    if left_out := left_out - right:  # their neighbours may be there now
        convert(right | left_out)


def _halves(group: Sequence[str], shares: Mapping[str, float]) -> list[Sequence[str]]:
    """Return two groups that weigh about the same; none of one that is small or cannot be divided."""
    sums = list(accumulate(shares[name] for name in group))
    if len(group) < 2 or sums[-1] < SMALLEST_SHARE:
        return []
    middle = min(range(1, len(group)), key=lambda index: abs(2 * sums[index - 1] - sums[-1]))
    return [group[:middle], group[middle:]]
