"""Operators on strings."""

from __future__ import annotations

from typing import Any

from webbuild.probe.op_template import fixed_template

_WORDS = (4,)


def _words(dtype: str) -> list[str] | None:
    return ["a", "b"] if dtype == "string" else None


def _numbers(dtype: str) -> list[int] | None:
    return None if dtype == "string" else [1, 2]


_COUNTED: dict[str, Any] = {
    "mode": "TF",
    "min_gram_length": 1,
    "max_gram_length": 1,
    "max_skip_count": 0,
    "ngram_counts": [0],
    "ngram_indexes": [0, 1],
    "pool_strings": _words,
    "pool_int64s": _numbers,
}

TEMPLATES = {
    "RegexFullMatch": fixed_template(_WORDS, pattern="a+"),
    "StringConcat": fixed_template(_WORDS, _WORDS),
    "StringNormalizer": fixed_template(_WORDS),
    "StringSplit": fixed_template(_WORDS, outputs=2),
    "TfIdfVectorizer": fixed_template(_WORDS, **_COUNTED),
}
