"""What is read in two parts of a line that overlap, as docTR's `merge_strings` puts it together."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.tasks.decoding.characters import ReadCharacter

_CUT = 3
"""The characters by which docTR's estimate of the overlap is less: those cut off at both ends, and one."""


def merge_characters(
    before: Sequence[ReadCharacter], after: Sequence[ReadCharacter], overlap: float
) -> list[ReadCharacter]:
    """Return the characters of a part and of the next, which shares `overlap` of its width with it.

    The last of `before` and the first of `after` may be cut off: they are left out. Of the ways to lay the end of one
    over the beginning of the other, that with the fewest unlike characters is taken; of several without any, and with
    none, how far its length is from the expected one counts too.
    """
    if min(len(before), len(after)) <= 1:
        return [*before, *after]
    kept, rest = before[:-1], after[1:]
    lengths = range(1, min(len(kept), len(rest)) + 1)
    unlike = [
        sum(one.text != other.text for one, other in zip(kept[-length:], rest[:length], strict=True))
        for length in lengths
    ]
    expected = round(len(after) * overlap) - _CUT
    exact = [at for at, wrong in enumerate(unlike) if wrong == 0]
    if not exact and expected < 0:
        return [*before, *after] if expected < -1 else [*kept, *rest]
    best = min(exact or range(len(unlike)), key=lambda at: unlike[at] + abs(at - expected))
    return [*kept, *rest[best + 1 :]]


def moved(read: Sequence[ReadCharacter], by: float) -> list[ReadCharacter]:
    """Return characters so many pixels farther along the line."""
    return [msgspec.structs.replace(each, start=each.start + by, end=each.end + by) for each in read]
