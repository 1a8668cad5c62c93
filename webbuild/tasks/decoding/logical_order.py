"""Put the characters of an Arabic line into logical order, similar to PaddleOCR's `pred_reverse`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar


class HasText(Protocol):
    """Anything with a text."""

    @property
    def text(self) -> str:
        """The text."""


_ARABIC = re.compile("[\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile("[a-zA-Z0-9%+-]")
_NEUTRAL = re.compile("[ :*./]")
_PARTS = re.compile("L(?:[Ln]*L)?|.")
"""Latin letters and digits keep their order, with neutral characters between them."""
_Character = TypeVar("_Character", bound=HasText)


def has_arabic(text: str) -> bool:
    """Whether a text has Arabic characters."""
    return _ARABIC.search(text) is not None


def to_logical_order(characters: Sequence[_Character]) -> list[_Character]:
    """Return characters that were read from left to right in the order of the text.

    A line without Arabic characters stays as it is. In others the order is reversed, except within runs of Latin
    letters and digits.

    12 AB  ->  BA 12, with A and B for Arabic letters
    """
    if not any(has_arabic(each.text) for each in characters):
        return list(characters)
    kinds = "".join(
        "L" if _LATIN.search(each.text) else "n" if _NEUTRAL.search(each.text) else "R" for each in characters
    )
    parts = [characters[found.start() : found.end()] for found in _PARTS.finditer(kinds)]
    return [each for part in reversed(parts) for each in part]
