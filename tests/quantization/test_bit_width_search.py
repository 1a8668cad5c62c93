"""The search for the fewest bits, on problems with known solutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from webbuild.quantization.bit_width_search import MAX_RUNS, BitWidthSearch
from webbuild.quantization.quantize import BitWidth

NUMBERS = {index: 100 * (index + 1) for index in range(100)}


def searched(same: Callable[[Mapping[int, BitWidth]], bool]) -> BitWidthSearch[int]:
    search = BitWidthSearch(list(NUMBERS), NUMBERS, same)
    search.run()
    assert search.asked <= MAX_RUNS
    assert all(same(bits) for bits in search.kept)
    return search


def part(search: BitWidthSearch[int], bits: BitWidth) -> float:
    """Return the fraction of the numbers that ended with this many bits."""
    return sum(NUMBERS[each] for each, got in search.kept[-1].items() if got == bits) / sum(NUMBERS.values())


def test_where_eight_bits_do_for_all_one_question_is_enough() -> None:
    search = searched(lambda _: True)
    assert (search.asked, part(search, 8)) == (1, 1)


def test_where_only_floats_do_nothing_is_kept() -> None:
    assert searched(lambda bits: set(bits.values()) == {32}).kept == []


@pytest.mark.parametrize(
    ("sensitive", "slack"),
    [({0}, 0.01), ({0, 1, 2}, 0.01), ({3, 17}, 0.03), ({30, 31, 60}, 0.25), (set(range(25)), 0.01)],
)
def test_what_needs_sixteen_bits_gets_them_and_little_else_does(sensitive: set[int], slack: float) -> None:
    search = searched(lambda bits: all(bits[each] >= 16 for each in sensitive))
    needed = sum(NUMBERS[each] for each in sensitive) / sum(NUMBERS.values())
    assert needed <= part(search, 16) <= needed + slack
    assert part(search, 32) == 0


def test_where_all_need_sixteen_bits_all_get_them() -> None:
    assert part(searched(lambda given: min(given.values()) >= 16), 16) == 1


def test_what_needs_floats_stays_floats() -> None:
    search = searched(lambda bits: all(bits[each] == 32 for each in (0, 2)) and bits[5] >= 16)
    assert [each for each, got in search.kept[-1].items() if got == 32] == [0, 1, 2]
    assert part(search, 8) > 0.9


def test_errors_that_add_up_are_spent_on_what_is_large() -> None:
    def same(bits: Mapping[int, BitWidth]) -> bool:
        return sum(got == 8 for got in bits.values()) <= 50

    assert part(searched(same), 8) > 0.7
