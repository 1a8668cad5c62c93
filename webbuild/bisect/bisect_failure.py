"""Finds the first node that makes a session or a run fail: from the engine's message, else by bisection."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webbuild.bisect.culprit import Culprit, CulpritCode
from webbuild.bisect.partition_points import PartitionPoints
from webbuild.bisect.subgraph_runner import SubgraphRunner
from webbuild.bisect.trial_result import SubgraphResult
from webbuild.subgraph.extract import Subgraph

_NAMED = re.compile(r"(?<![\w/])n(\d+)(?:_\d+)?(?!\w)")
"""A node's name in an extracted model."""
_CODES: dict[str, CulpritCode] = {
    "no-session": "node-session-failure",
    "throws": "node-throws",
    "hang": "node-hangs",
    "crash": "node-crashes",
}
"""Codes by the status of the session."""


class FailureSearch:
    """Search for nodes that make sessions fail."""

    def __init__(self, runner: SubgraphRunner, splits: PartitionPoints) -> None:
        self._tester, self._splits = runner, splits

    def find(self, failed: SubgraphResult) -> Culprit:
        """Return the smallest failing piece inside a failing one; the first in node order."""
        tested: set[Subgraph] = set()
        for hinted in self._named_in_message(failed, tested):
            return hinted
        piece = failed.subgraph
        runs, fails, last = 0, len(piece), failed
        while inside := [count for count in self._splits.lengths(piece) if runs < count < fails]:
            middle = inside[len(inside) // 2]
            tried = self._tester.run_one(piece[:middle])
            if tried.verdict != "fails":
                runs = middle
                continue
            fails, last = middle, tried
            for hinted in self._named_in_message(tried, tested):
                return hinted
        return self._extend_prefix(piece[:fails], runs, last)

    def estimated_sessions(self, failed: SubgraphResult) -> int:
        """Return the approximate number of sessions to find the failing node: few if the engine names it."""
        return 3 if _NAMED.search(failed.message) else len(failed.subgraph).bit_length() + 3

    def _named_in_message(self, failed: SubgraphResult, tested: set[Subgraph]) -> Iterator[Culprit]:
        """Try each node that the engine names alone, once; yield it if it fails."""
        for named in _NAMED.findall(failed.message):
            unit = self._unit(failed.subgraph, int(named))
            if unit and unit != failed.subgraph and unit not in tested:
                tested.add(unit)
                tried = self._tester.run_one(unit)
                if tried.verdict == "fails":
                    yield _failure_culprit(tried)

    def _unit(self, piece: Subgraph, node: int) -> Subgraph:
        """Return the smallest part of a piece that contains a node."""
        if node not in piece:
            return ()
        at, position = [0, *self._splits.lengths(piece), len(piece)], piece.index(node)
        start = max(each for each in at if each <= position)
        return piece[start : min(each for each in at if each > position)]

    def _extend_prefix(self, prefix: Subgraph, runs: int, failed: SubgraphResult) -> Culprit:
        """Return the shortest failing suffix of a failing prefix; its first `runs` nodes run."""
        starts = [0, *self._splits.lengths(prefix)]
        starts = [start for start in starts if start <= runs]
        step, fails = 1, 0
        best = failed
        good = len(starts)  # starts from here on are known to run
        while (back := len(starts) - step) > 0:
            tried = self._tester.run_one(prefix[starts[back] :])
            if tried.verdict == "fails":
                best, fails = tried, back
                break
            good = back
            step *= 2
        while good - fails > 1:  # between a suffix that is too short and one that fails
            middle = (good + fails) // 2
            tried = self._tester.run_one(prefix[starts[middle] :])
            if tried.verdict == "fails":
                best, fails = tried, middle
            else:
                good = middle
        return _failure_culprit(best)


def _failure_culprit(tried: SubgraphResult) -> Culprit:
    return Culprit(_CODES[tried.status], tried.subgraph, tried, tried.subgraph[0] if len(tried.subgraph) == 1 else None)
