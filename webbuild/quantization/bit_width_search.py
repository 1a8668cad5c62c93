"""Bit width search: the fewest bits per tensor, bisected by groups, since each trial runs the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.quantization.quantize import BitWidth

MAX_RUNS = 20
"""Questions that are asked at most."""
_MIN_SAVING = 0.02
"""Bits that a question must be able to save, of every number on average."""


T = TypeVar("T")


class BitWidthSearch(Generic[T]):
    """A search for the fewest bits with which the answers stay the same.

    Args:
        order: what is stored, first what loses most for the fewest numbers.
        numbers: how many each has.
        same: whether the answers are the same with these bits. Asked `MOST` times at most.
    """

    def __init__(
        self, order: Sequence[T], numbers: Mapping[T, int], same: Callable[[Mapping[T, BitWidth]], bool]
    ) -> None:
        self.kept: list[dict[T, BitWidth]] = []
        """Bits that kept the answers, each fewer than those before."""
        self.asked = 0
        self._order = tuple(order)
        self._numbers = numbers
        self._same = same

    def run(self) -> None:
        """Bisect how many tensors need more than 8 bits, then try 8 bits again for groups of those.

        They get 16, and some of them the 32 of a float where 16 for all do not keep the answers.
        """
        narrow, wide = self._uniform(8), self._uniform(16)
        if not self._order or self._is_equivalent(narrow):
            return
        if not self._is_equivalent(wide):
            wide = self._bisect(wide, self._uniform(32))
        if self.kept:
            wide = self._bisect(narrow, wide)
            self._narrow([each for each in self._order if wide[each] != 8])

    def _uniform(self, bits: BitWidth) -> dict[T, BitWidth]:
        return dict.fromkeys(self._order, bits)

    def _is_equivalent(self, bits: dict[T, BitWidth]) -> bool:
        if self.asked == MAX_RUNS:
            return False
        self.asked += 1
        is_same = self._same(bits)
        if is_same:
            self.kept.append(bits)
        return is_same

    def _bisect(self, low: Mapping[T, BitWidth], high: Mapping[T, BitWidth]) -> dict[T, BitWidth]:
        """Return `high` for the first of the order and `low` for the others, where `low` for all does not do."""
        none, enough = 0, len(self._order)
        while enough - none > 1:
            middle = (none + enough) // 2
            if self._is_equivalent(self._mixed(low, high, middle)):
                enough = middle
            else:
                none = middle
        return self._mixed(low, high, enough)

    def _mixed(self, low: Mapping[T, BitWidth], high: Mapping[T, BitWidth], first: int) -> dict[T, BitWidth]:
        return {each: (high if index < first else low)[each] for index, each in enumerate(self._order)}

    def _narrow(self, wide: Sequence[T]) -> None:
        """Try 8 bits for groups, what saves most first. A group that does not do with them is cut in two."""
        tries = _split_in_half(wide)
        while tries and self.asked < MAX_RUNS:
            group = max(tries, key=self._saved_bits)
            tries.remove(group)
            if self._saved_bits(group) < _MIN_SAVING * sum(self._numbers.values()):
                return
            if not self._is_equivalent({**self.kept[-1], **dict.fromkeys(group, 8)}):
                tries += _split_in_half(group)

    def _saved_bits(self, group: Sequence[T]) -> int:
        """Return how many bits are saved where a group has 8."""
        return sum(self._numbers[each] * (self.kept[-1][each] - 8) for each in group)


def _split_in_half(group: Sequence[T]) -> list[Sequence[T]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []
