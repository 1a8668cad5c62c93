"""The first node without which a session is made, or a run ends: by the engine's word, else by ever shorter fronts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webbuild.bisect.cut import Piece
from webbuild.bisect.found import Found, Kind
from webbuild.bisect.outcome import Tried
from webbuild.bisect.splits import Splits
from webbuild.bisect.tester import Tester

_NAMED = re.compile(r"(?<![\w/])n(\d+)(?:_\d+)?(?!\w)")
"""A node's name in a cut."""


class Failing:
    """Looks for nodes whose sessions fail."""

    def __init__(self, tester: Tester, splits: Splits) -> None:
        self._tester, self._splits = tester, splits

    def find(self, failed: Tried) -> Found:
        """Return the smallest piece of one that fails which still fails; the first in the order of the nodes."""
        asked: set[Piece] = set()
        for hinted in self._hinted(failed, asked):
            return hinted
        piece = failed.piece
        runs, fails, last = 0, len(piece), failed
        while inside := [count for count in self._splits.lengths(piece) if runs < count < fails]:
            middle = inside[len(inside) // 2]
            tried = self._tester.one(piece[:middle])
            if tried.verdict != "fails":
                runs = middle
                continue
            fails, last = middle, tried
            for hinted in self._hinted(tried, asked):
                return hinted
        return self._grown(piece[:fails], runs, last)

    def cost(self, failed: Tried) -> int:
        """Return how many sessions it takes to find what fails, about: few where the engine names a node."""
        return 3 if _NAMED.search(failed.message) else len(failed.piece).bit_length() + 3

    def _hinted(self, failed: Tried, asked: set[Piece]) -> Iterator[Found]:
        """Try alone the node that the engine names, once."""
        for named in _NAMED.findall(failed.message):
            unit = self._unit(failed.piece, int(named))
            if unit and unit != failed.piece and unit not in asked:
                asked.add(unit)
                tried = self._tester.one(unit)
                if tried.verdict == "fails":
                    yield _found(tried)

    def _unit(self, piece: Piece, node: int) -> Piece:
        """Return the part of a piece around a node that cannot be divided."""
        if node not in piece:
            return ()
        at, place = [0, *self._splits.lengths(piece), len(piece)], piece.index(node)
        start = max(each for each in at if each <= place)
        return piece[start : min(each for each in at if each > place)]

    def _grown(self, front: Piece, runs: int, failed: Tried) -> Found:
        """Return the shortest end of a front that fails; the front but for that end runs."""
        starts = [0, *self._splits.lengths(front)]
        starts = [start for start in starts if start <= runs]
        step, fails = 1, 0
        best = failed
        good = len(starts)  # starts from here on are known to run
        while (back := len(starts) - step) > 0:
            tried = self._tester.one(front[starts[back] :])
            if tried.verdict == "fails":
                best, fails = tried, back
                break
            good = back
            step *= 2
        while good - fails > 1:  # between one that is too short and one that fails
            middle = (good + fails) // 2
            tried = self._tester.one(front[starts[middle] :])
            if tried.verdict == "fails":
                best, fails = tried, middle
            else:
                good = middle
        return _found(best)


def _found(tried: Tried) -> Found:
    kinds: dict[str, Kind] = {"no-session": "no-session", "throws": "throws", "hang": "hang", "crash": "crash"}
    return Found(kinds[tried.ended], tried.piece, tried, tried.piece[0] if len(tried.piece) == 1 else None)
