"""Partition points: positions that split a part of the graph evenly, with few bytes across the cut."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from webbuild.subgraph.extract import Subgraph
from webbuild.subgraph.graph import ModelGraph


class PartitionPoints:
    """Ways to split pieces of a graph. Position p is before node p."""

    def __init__(self, graph: ModelGraph) -> None:
        self._graph = graph

    @cached_property
    def _crossing(self) -> tuple[list[int], list[bool]]:
        """For each position, the bytes of the values that cross it, and whether all of them may."""
        count = len(self._graph.nodes)
        change, barred = [0] * (count + 2), [0] * (count + 2)
        for name, maker in self._graph.producer.items():
            last = max(self._graph.consumers.get(name, ()), default=maker)
            size, barring = self._graph.bytes(name), int(not self._graph.can_be_boundary(name))
            for position, sign in ((maker + 1, 1), (last + 1, -1)):
                change[position] += sign * size
                barred[position] += sign * barring
        costs, free, cost, bars = [], [], 0, 0
        for position in range(count + 1):
            cost, bars = cost + change[position], bars + barred[position]
            costs.append(cost)
            free.append(not bars)
        return costs, free

    def lengths(self, piece: Subgraph) -> list[int]:
        """Return the possible lengths of a proper prefix of a piece."""
        free = self._crossing[1]
        return [count for count in range(1, len(piece)) if free[piece[count]]]

    def split(self, piece: Subgraph, most: int) -> list[Subgraph]:
        """Split a piece into up to `most` parts; return the piece itself if it cannot be split."""
        at = [0, *self._lengths(piece, most), len(piece)]
        return [piece[start:stop] for start, stop in pairwise(at)]

    def _lengths(self, piece: Subgraph, most: int) -> list[int]:
        free = self.lengths(piece)
        if len(free) < most:
            return free
        costs = self._crossing[0]
        reach = len(free) // (4 * most)
        lengths = set()
        for number in range(1, most):
            middle = number * len(free) // most
            near = free[max(0, middle - reach) : middle + reach + 1]
            lengths.add(min(near, key=lambda count: costs[piece[count]]))
        return sorted(lengths)
