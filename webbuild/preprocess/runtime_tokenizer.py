"""A tokenizer.json as the runtime reads it to the same tokens: what its library does otherwise is put into settings.

Lowercase    ->  Replace(U+03A3, U+03C3), Lowercase    JavaScript has another small sigma at the end of a word
Precompiled  ->  Replace..., Precompiled, Replace...   JavaScript has NFKC and a list of spaces for any table
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

_GONE = re.compile("[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]")
_SPACES = re.compile("[\t\n\x0c\r\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd]")
"""What `@huggingface/tokenizers` leaves out, and what it makes a space, instead of reading the table."""
_TILDE = "\uff5e"
"""Which it leaves as it is."""
_PRIVATE = 0xF8F0
"""The first letter of those for private use that stand for what a table leaves alone."""
_MOST = 8
"""Letters that a table may treat otherwise; SentencePiece's own, nmt_nfkc, has 2."""


class UnknownTableError(ValueError):
    """A table of a Precompiled normaliser that is not nearly SentencePiece's own."""


def for_runtime(tokenizer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tokenizer.json with which the runtime makes the tokens that Python makes of the one that is given.

    Raises:
        UnknownTableError: see there.
    """
    return {**tokenizer, "normalizer": _rewritten(tokenizer.get("normalizer"))}


def table_exceptions(normalize: Callable[[str], str]) -> dict[str, str]:
    """Return what a table makes of letters that the runtime makes something else of; `normalize` applies the table.

    Raises:
        UnknownTableError: for too many of them.
    """
    letters = (chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000)
    old = (each for each in letters if unicodedata.ucd_3_2_0.category(each) not in ("Cn", "Co"))
    exceptions = {each: meant for each in old if (meant := normalize(each)) != by_runtime(each)}
    if len(exceptions) > _MOST:
        raise UnknownTableError(f"the table of its Precompiled normaliser treats {len(exceptions)} letters otherwise")
    return exceptions


def _rewritten(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind == "Sequence":
        return {**part, "normalizers": [_rewritten(each) for each in part.get("normalizers", [])]}
    if kind == "Lowercase" or (kind == "BertNormalizer" and part.get("lowercase")):
        return _sequence(_replace("\u03a3", "\u03c3"), part)
    if kind == "Precompiled":
        return _with_exceptions(part)
    return part


def _with_exceptions(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Precompiled normaliser between replacements of what its table treats otherwise than the runtime."""
    from tokenizers import normalizers

    table = normalizers.Precompiled(base64.b64decode(part["precompiled_charsmap"]))
    before: list[dict[str, Any]] = []
    after: list[dict[str, Any]] = []
    for letter, meant in table_exceptions(table.normalize_str).items():
        stand_in = chr(_PRIVATE + len(before)) if meant == letter else meant
        before.append(_replace(letter, stand_in))
        after += [_replace(stand_in, letter)] if meant == letter else []
    return _sequence(*before, part, *after)


def by_runtime(letter: str) -> str:
    """Return the normalization of one letter by the runtime, which ignores the table."""
    if _GONE.match(letter):
        return ""
    if _SPACES.match(letter):
        return " "
    return letter if letter == _TILDE else unicodedata.normalize("NFKC", letter)


def _replace(letter: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": letter}, "content": content}


def _sequence(*parts: Any) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(parts)}
