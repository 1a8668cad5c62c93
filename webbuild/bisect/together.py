"""A piece that differs though none of its parts does: several nodes fused, or small errors that add up."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.bisect.cut import PROBES, Piece, inside
from webbuild.bisect.found import Found
from webbuild.bisect.graph import Graph
from webbuild.bisect.outcome import Tried, share
from webbuild.bisect.splits import Splits
from webbuild.bisect.tester import Tester

FUSED = 8
"""Nodes that an engine makes one kernel of, at most."""
VANISHED = 4
"""How many times smaller an error is without fusion, where fusion makes it."""


def together(tester: Tester, splits: Splits, parent: Tried) -> Found | None:
    """Return the fewest neighbours that differ together, and what they are guilty of; None if they agree alone."""
    piece = parent.piece
    fronts = [piece[:count] for count in splits.lengths(piece)]
    front = _smallest(tester, fronts, parent)
    starts = splits.lengths(front.piece)
    end = _smallest(tester, [front.piece[start:] for start in reversed(starts)], front)
    best = _connected(tester, end)
    if best is None:
        return None
    if len(best.piece) > FUSED:
        return Found("drift", best.piece, best)
    apart = tester.one(best.piece, also=tuple(inside(tester.graph, best.piece)))
    return Found("fused" if _vanishes(best, apart) else "drift", best.piece, best, apart=apart)


def _smallest(tester: Tester, pieces: Sequence[Piece], largest: Tried) -> Tried:
    """Return the smallest that differs, of pieces that grow and one that holds them all and differs."""
    low, high, best = -1, len(pieces), largest
    while high - low > 1:
        count = min(PROBES, high - low - 1)
        at = sorted({low + (high - low) * (number + 1) // (count + 1) for number in range(count)} - {low, high})
        tried = tester.each([pieces[index] for index in at])
        first = next((n for n, each in enumerate(tried) if each.verdict == "differs"), None)
        if first is None:
            low = at[-1]
            continue
        high, best = at[first], tried[first]
        low = at[first - 1] if first else low
    return best


def _connected(tester: Tester, tried: Tried) -> Tried | None:
    """Leave out the nodes that the wrong values do not depend on; None for a piece that agrees in its own session."""
    graph: Graph = tester.graph
    makers = {graph.maker[each.subject.output] for each in tried.differing}
    needed = makers.union(*(graph.ancestors(maker) for maker in makers))
    piece = tuple(index for index in tried.piece if index in needed)
    for less in dict.fromkeys((piece, tried.piece)):
        again = tester.one(less)
        if again.verdict == "differs":
            return again
    return None


def _vanishes(tried: Tried, apart: Tried) -> bool:
    """Whether the values that differ agree once all values between them are read."""
    names = {each.subject.output for each in tried.differing}
    left = max((share(each) for each in apart.comparisons if each.subject.output in names), default=float("inf"))
    return left <= 1 and left * VANISHED <= tried.error
