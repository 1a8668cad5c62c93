"""How few bits tensors may be stored in: bisected by groups, since every question is a run of the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.quantization.quantize import BitWidth

MAX_RUNS = 20
"""Questions that are asked at most."""
_WIDE_BIT_WIDTHS: tuple[BitWidth, ...] = (10, 11, 12, 13, 14, 16)
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
        """Find out how many of the order need more than 8 bits, then which of those do with fewer after all.

        They get the fewest that keep the answers if all have them, and some of them the 32 of a float where none do.
        """
        narrow = self._uniform(8)
        if not self._order or self._is_equivalent(narrow):
            return
        wide = self._uniform(self._smallest_uniform_width())
        if not self.kept:
            wide = self._bisect(wide, self._uniform(32))
        if self.kept:
            wide = self._bisect(narrow, wide)
            self._narrow([each for each in self._order if wide[each] != 8])

    def _smallest_uniform_width(self) -> BitWidth:
        """Return the fewest bits that keep the answers if all have them; the most there are where none do."""
        low, high = 0, len(_WIDE_BIT_WIDTHS) - 1
        if not self._is_equivalent(self._uniform(_WIDE_BIT_WIDTHS[high])):
            return _WIDE_BIT_WIDTHS[high]
        while low < high:
            middle = (low + high) // 2
            if self._is_equivalent(self._uniform(_WIDE_BIT_WIDTHS[middle])):
                high = middle
            else:
                low = middle + 1
        return _WIDE_BIT_WIDTHS[high]

    def _uniform(self, bits: BitWidth) -> dict[T, BitWidth]:
        return dict.fromkeys(self._order, bits)

    def _is_equivalent(self, bits: dict[T, BitWidth]) -> bool:
        if self.asked == MAX_RUNS:
            return False
        self.asked += 1
        kept = self._same(bits)
        if kept:
            self.kept.append(bits)
        return kept

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
        """Try fewer bits for groups, what saves most first. A group that does not do with them is cut in two."""
        between: BitWidth = 12 if max(self.kept[-1].values()) > 13 else 10
        tries: list[tuple[Sequence[T], BitWidth]] = [(half, 8) for half in _split_in_half(wide)]
        tries += [(half, between) for half in _split_in_half(wide)]
        while tries and self.asked < MAX_RUNS:
            group, bits = best = max(tries, key=lambda each: self._saved_bytes(*each))
            tries.remove(best)
            if self._saved_bytes(group, bits) < _MIN_SAVING * sum(self._numbers.values()):
                return
            fewer = {each: min(bits, self.kept[-1][each]) for each in group}
            if not self._is_equivalent({**self.kept[-1], **fewer}):
                tries += [(half, bits) for half in _split_in_half(group)]

    def _saved_bytes(self, group: Sequence[T], bits: BitWidth) -> int:
        """Return how many bits are saved where a group has no more than these."""
        return sum(self._numbers[each] * max(0, self.kept[-1][each] - bits) for each in group)


def _split_in_half(group: Sequence[T]) -> list[Sequence[T]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []
