"""How few bits tensors may be stored in: bisected by groups, since every question is a run of the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.storage.form import Bits

MOST = 20
"""Questions that are asked at most."""
_WORTH = 0.003
"""Part of all numbers from which on a group is worth a question."""


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
        """Find out how many of the order need 16 bits, or even the 32 of a float, then which of those do with 8."""
        narrow, wide = self._all(8), self._all(16)
        if not self._order or self._keeps(narrow):
            return
        if not self._keeps(wide):
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
        """Try 8 bits for groups of what is wide, the largest first; a group that needs more is cut in two."""
        groups = list(_halves(wide))
        while groups and self.asked < MOST:
            group = max(groups, key=self._size)
            groups.remove(group)
            if self._size(group) < _WORTH * self._size(self._order):
                return
            if not self._keeps({**self.kept[-1], **dict.fromkeys(group, 8)}):
                groups += _halves(group)

    def _size(self, group: Sequence[T]) -> int:
        return sum(self._numbers[each] for each in group)


def _halves(group: Sequence[T]) -> list[Sequence[T]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []
