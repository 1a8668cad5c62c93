"""How few bits tensors may be stored in: bisected by groups, since every question is a run of the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.storage.quantise import Bits

MOST = 20
"""Questions that are asked at most."""
_WIDE: tuple[Bits, ...] = (10, 11, 12, 13, 14, 16)
_WORTH = 0.02
"""Bits that a question must be able to save, of every number on average."""


T = TypeVar("T")


class Search(Generic[T]):
    """A search for the fewest bits with which the answers stay the same.

    Args:
        order: what is stored, first what loses most for the fewest numbers.
        numbers: how many each has.
        same: whether the answers are the same with these bits. Asked `MOST` times at most.
    """

    def __init__(self, order: Sequence[T], numbers: Mapping[T, int], same: Callable[[Mapping[T, Bits]], bool]) -> None:
        self.kept: list[dict[T, Bits]] = []
        """Bits that kept the answers, each fewer than those before."""
        self.asked = 0
        self._order = tuple(order)
        self._numbers = numbers
        self._same = same

    def run(self) -> None:
        """Find out how many of the order need more than 8 bits, then which of those do with fewer after all.

        They get the fewest that keep the answers if all have them, and some of them the 32 of a float where none do.
        """
        narrow = self._all(8)
        if not self._order or self._keeps(narrow):
            return
        wide = self._all(self._least())
        if not self.kept:
            wide = self._fewest(wide, self._all(32))
        if self.kept:
            wide = self._fewest(narrow, wide)
            self._narrow([each for each in self._order if wide[each] != 8])

    def _least(self) -> Bits:
        """Return the fewest bits that keep the answers if all have them; the most there are where none do."""
        low, high = 0, len(_WIDE) - 1
        if not self._keeps(self._all(_WIDE[high])):
            return _WIDE[high]
        while low < high:
            middle = (low + high) // 2
            if self._keeps(self._all(_WIDE[middle])):
                high = middle
            else:
                low = middle + 1
        return _WIDE[high]

    def _all(self, bits: Bits) -> dict[T, Bits]:
        return dict.fromkeys(self._order, bits)

    def _keeps(self, bits: dict[T, Bits]) -> bool:
        if self.asked == MOST:
            return False
        self.asked += 1
        kept = self._same(bits)
        if kept:
            self.kept.append(bits)
        return kept

    def _fewest(self, low: Mapping[T, Bits], high: Mapping[T, Bits]) -> dict[T, Bits]:
        """Return `high` for the first of the order and `low` for the others, where `low` for all does not do."""
        none, enough = 0, len(self._order)
        while enough - none > 1:
            middle = (none + enough) // 2
            if self._keeps(self._mixed(low, high, middle)):
                enough = middle
            else:
                none = middle
        return self._mixed(low, high, enough)

    def _mixed(self, low: Mapping[T, Bits], high: Mapping[T, Bits], first: int) -> dict[T, Bits]:
        return {each: (high if index < first else low)[each] for index, each in enumerate(self._order)}

    def _narrow(self, wide: Sequence[T]) -> None:
        """Try fewer bits for groups, what saves most first. A group that does not do with them is cut in two."""
        between: Bits = 12 if max(self.kept[-1].values()) > 13 else 10
        tries: list[tuple[Sequence[T], Bits]] = [(half, 8) for half in _halves(wide)]
        tries += [(half, between) for half in _halves(wide)]
        while tries and self.asked < MOST:
            group, bits = best = max(tries, key=lambda each: self._saved(*each))
            tries.remove(best)
            if self._saved(group, bits) < _WORTH * sum(self._numbers.values()):
                return
            fewer = {each: min(bits, self.kept[-1][each]) for each in group}
            if not self._keeps({**self.kept[-1], **fewer}):
                tries += [(half, bits) for half in _halves(group)]

    def _saved(self, group: Sequence[T], bits: Bits) -> int:
        """Return how many bits are saved where a group has no more than these."""
        return sum(self._numbers[each] * max(0, self.kept[-1][each] - bits) for each in group)


def _halves(group: Sequence[T]) -> list[Sequence[T]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []
