"""Texts of lines: English words, prices, dates, codes, and any printable ASCII.

Words come from Debian's wamerican. One in ten is held out for measurements.
"""

from __future__ import annotations

import string
from functools import cache
from pathlib import Path

import numpy as np

CHARACTERS = "".join(sorted(string.digits + string.ascii_letters + string.punctuation)) + " "
"""The recognizer's characters in the order of its classes 1 to 95; 0 is CTC's blank."""

LIST = Path("/usr/share/dict/american-english")


@cache
def dictionary(split: str) -> tuple[str, ...]:
    """Return the words of a split, with ASCII letters only."""
    words = [word for word in LIST.read_text("utf-8").split() if word.isascii() and word.isalpha()]
    return tuple(word for index, word in enumerate(words) if (index % 10 == 0) == (split == "held-out"))


def pick(rng: np.random.Generator, letters: str, count: int) -> str:
    """Return a random string of characters in `letters`."""
    return "".join(letters[int(index)] for index in rng.integers(len(letters), size=count))


def word(rng: np.random.Generator, split: str) -> str:
    """A word in one of three cases."""
    words = dictionary(split)
    chosen = words[int(rng.integers(len(words)))]
    return (chosen, chosen.lower(), chosen.capitalize(), chosen.upper())[int(rng.choice(4, p=[0.3, 0.2, 0.25, 0.25]))]


def number(rng: np.random.Generator) -> str:
    """A price, a date, a time, a phone number, a share or a plain number."""
    n = [int(value) for value in rng.integers(0, 10, 10)]
    price = f"{int(10 ** rng.uniform(0, 4))}.{n[0]}{n[1]}"
    digits = "".join(map(str, n))
    day, month, year = rng.integers(1, 32), rng.integers(1, 13), rng.integers(1980, 2040)
    forms = (
        f"${price}", f"{price}", f"{price} EUR", f"-{price}",
        f"${int(rng.integers(1, 100))},{digits[:3]}.{digits[3:5]}",
        f"{month:02}-{day:02}-{year}", f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}",
        f"{month}/{day}/{year % 100:02}", f"{int(rng.integers(24)):02}:{n[2] % 6}{n[3]}",
        f"{int(rng.integers(1, 13))}:{n[2] % 6}{n[3]} {'AP'[n[4] % 2]}M", f"{digits[:3]} {digits[3:6]} {digits[6:]}",
        f"({digits[:3]}) {digits[3:6]}-{digits[6:]}", f"+{n[0] + 1} {digits[:3]} {digits[3:]}", f"{n[0]}{n[1]}%",
        f"#{digits[: 3 + n[9] % 6]}", digits[: 1 + n[8]], f"{n[0] + 1} x {price}", f"{n[0] + 1} @ {price}",
        f"No. {n[1]}",
    )  # fmt: skip
    return forms[int(rng.integers(len(forms)))]


def code(rng: np.random.Generator, split: str) -> str:
    """Return text that is not a word: a serial number, a web address, or random characters."""
    letters, digits = string.ascii_letters, string.digits
    size = int(rng.integers(1, 10))
    forms = (
        lambda: pick(rng, string.ascii_uppercase + digits, size),
        lambda: pick(rng, letters + digits, size),
        lambda: pick(rng, CHARACTERS[:-1], size),
        lambda: pick(rng, string.punctuation, 1 + size // 3),
        lambda: f"{word(rng, split)}@{word(rng, split)}.com".lower(),
        lambda: f"www.{word(rng, split)}.org/{word(rng, split)}".lower(),
        lambda: f"{pick(rng, string.ascii_uppercase, 2)}-{pick(rng, digits, 1 + size // 2)}",
        lambda: f"{pick(rng, string.ascii_uppercase, 1)}{pick(rng, digits, 1 + size // 4)}",
    )
    return forms[int(rng.integers(len(forms)))]()


def phrase(rng: np.random.Generator, split: str, longest: int = 28) -> str:
    """Return a line of at most `longest` characters, without two spaces in a row."""
    room = int(rng.integers(1, longest + 1))
    parts: list[str] = []
    while True:
        kind = rng.random()
        part = word(rng, split) if kind < 0.55 else number(rng) if kind < 0.8 else code(rng, split)
        if kind < 0.55 and rng.random() < 0.15:
            mark = (",", ".", ":", "!", "?", ";", "()", '""', "[]", "'s", "*", "&")[int(rng.integers(12))]
            part = mark[0] + part + mark[1] if mark in ("()", '""', "[]") else part + mark
        if parts and len(" ".join([*parts, part])) > room:
            return " ".join(parts)
        parts.append(part[:longest].strip())
        if not parts[-1]:
            parts.pop()
