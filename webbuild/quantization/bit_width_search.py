"""Bit width search: the fewest bits per tensor, found by bisecting groups, because each trial runs the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from webbuild.quantization.quantize import BitWidth

MAX_RUNS = 20
"""Maximum number of trials."""
_MIN_SAVING = 0.02
"""Minimum possible saving of a trial, in bits per number on average."""


T = TypeVar("T")


class BitWidthSearch(Generic[T]):
    """A search for the fewest bits that keep the results equal.

    Args:
        order: the tensors, those with the most error for the fewest numbers first.
        numbers: the number of elements of each tensor.
        same: returns whether the results are equal with these bits. It is called at most `MAX_RUNS` times.
    """

    def __init__(
        self, order: Sequence[T], numbers: Mapping[T, int], same: Callable[[Mapping[T, BitWidth]], bool]
    ) -> None:
        self.kept: list[dict[T, BitWidth]] = []
        """The bit widths that kept the results equal, each smaller than the previous ones."""
        self.asked = 0
        self._order = tuple(order)
        self._numbers = numbers
        self._same = same

    def run(self) -> None:
        """Bisect how many tensors need more than 8 bits, then try 8 bits again for groups of them.

        These tensors get 16 bits. If 16 bits for all are not enough, some of them stay float (32 bits).
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
        """Return `high` for the first tensors of the order and `low` for the rest, if `low` for all is not enough."""
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
        """Try 8 bits for groups, the largest saving first. A group that fails is halved."""
        tries = _split_in_half(wide)
        while tries and self.asked < MAX_RUNS:
            group = max(tries, key=self._saved_bits)
            tries.remove(group)
            if self._saved_bits(group) < _MIN_SAVING * sum(self._numbers.values()):
                return
            if not self._is_equivalent({**self.kept[-1], **dict.fromkeys(group, 8)}):
                tries += _split_in_half(group)

    def _saved_bits(self, group: Sequence[T]) -> int:
        """Return the number of bits saved by 8 bits for a group."""
        return sum(self._numbers[each] * (self.kept[-1][each] - 8) for each in group)


def _split_in_half(group: Sequence[T]) -> list[Sequence[T]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []
