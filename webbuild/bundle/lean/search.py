"""How few bits tensors may be stored in: bisected by groups, since every question is a run of the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.storage.quantise import Bits

MOST = 20
"""Questions that are asked at most."""
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
        """Find out how many of the order need more than 8 bits, then which of those do with 8 or 10 after all.

        They get 12 where that keeps the answers if all have it, else 16, else some of them the 32 of a float.
        """
        narrow = self._all(8)
        if not self._order or self._keeps(narrow):
            return
        wide = self._all(12)
        if not self._keeps(wide) and not self._keeps(wide := self._all(16)):
            wide = self._fewest(wide, self._all(32))
        if self.kept:
            wide = self._fewest(narrow, wide)
            self._narrow([each for each in self._order if wide[each] != 8])

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
        tries: list[tuple[Sequence[T], Bits]] = [(half, 8) for half in _halves(wide)]
        tries.append((wide, 10))
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
