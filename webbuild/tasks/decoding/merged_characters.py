"""Merge the characters read in two overlapping parts of a line, as docTR's `merge_strings` does."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.tasks.decoding.characters import ReadCharacter

_CUT_OFF_CHARACTERS = 3
"""Characters that docTR subtracts from its estimate of the overlap: one cut off at each end, and one more."""


def merge_characters(
    before: Sequence[ReadCharacter], after: Sequence[ReadCharacter], overlap: float
) -> list[ReadCharacter]:
    """Return the merged characters of a part and the next part, which overlap by `overlap` of the next part's width.

    The last character of `before` and the first of `after` may be cut off, and are dropped. The overlap length with the
    fewest mismatches wins, plus its distance from the expected length. Exact matches win over all others.
    """
    if min(len(before), len(after)) <= 1:
        return [*before, *after]
    kept, rest = before[:-1], after[1:]
    lengths = range(1, min(len(kept), len(rest)) + 1)
    unlike = [
        sum(one.text != other.text for one, other in zip(kept[-length:], rest[:length], strict=True))
        for length in lengths
    ]
    expected = round(len(after) * overlap) - _CUT_OFF_CHARACTERS
    exact = [at for at, wrong in enumerate(unlike) if wrong == 0]
    if not exact and expected < 0:
        return [*before, *after] if expected < -1 else [*kept, *rest]
    best = min(exact or range(len(unlike)), key=lambda at: unlike[at] + abs(at - expected))
    return [*kept, *rest[best + 1 :]]


def shift_characters(characters: Sequence[ReadCharacter], by: float) -> list[ReadCharacter]:
    """Return the characters moved by `by` pixels along the line."""
    return [msgspec.structs.replace(each, start=each.start + by, end=each.end + by) for each in characters]
