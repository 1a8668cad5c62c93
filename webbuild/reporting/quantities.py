"""Numbers and texts formatted for people."""

from __future__ import annotations

import re


def format_count(number: int, noun: str) -> str:
    """Return `1 node`, `1,000 nodes`, `2 copies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun.removesuffix('y')}ies" if noun.endswith("y") else f"{number:,} {noun}s"


def format_differing(number: int, total: int) -> str:
    """Return how many of a number of comparisons differ: `1 of 12 comparisons differs`."""
    return f"{number:,} of {format_count(total, 'comparison')} {'differs' if number == 1 else 'differ'}"


def format_bytes(number: int) -> str:
    """Return bytes in a unit that fits: `0 B`, `1.2 kB`, `3.4 MB`."""
    if number < 1000:
        return f"{number} B"
    for unit in ("kB", "MB"):
        number_ = number / (1000 if unit == "kB" else 1_000_000)
        if number_ < 1000:
            return f"{number_:.1f} {unit}"
    return f"{number / 1_000_000_000:.2f} GB"


def first_sentence(text: str) -> str:
    """Return the first sentence of a text as one line."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<!\.)\. ", paragraph)[0].removesuffix(".") + "."
