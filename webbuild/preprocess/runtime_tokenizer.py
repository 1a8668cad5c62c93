"""Rewrite a tokenizer.json so that `@huggingface/tokenizers` in the browser gives the same tokens as Python.

Lowercase    ->  Replace(U+03A3, U+03C3), Lowercase    JavaScript lower-cases a word-final sigma differently
Precompiled  ->  Replace..., Precompiled, Replace...   JavaScript ignores the table: it uses NFKC and a list of spaces
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

_REMOVED = re.compile("[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]")
_REPLACED_BY_SPACE = re.compile("[\t\n\x0c\r\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd]")
"""Characters that `@huggingface/tokenizers` removes, and replaces by a space, whatever the table says."""
_FULLWIDTH_TILDE = "\uff5e"
"""The character that `@huggingface/tokenizers` leaves unchanged, but NFKC would change."""
_PRIVATE_USE_START = 0xF8F0
"""First private-use character used as a stand-in for a character that a table leaves unchanged."""
_MAX_EXCEPTIONS = 8
"""Characters that a table may map differently from the runtime; SentencePiece's nmt_nfkc has 2."""


class UnknownTableError(ValueError):
    """The table of a Precompiled normalizer differs too much from SentencePiece's own."""


def for_runtime(tokenizer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tokenizer.json that gives the runtime the same tokens as `tokenizer` gives Python.

    Raises:
        UnknownTableError: a Precompiled table has too many exceptions.
    """
    return {**tokenizer, "normalizer": _rewritten(tokenizer.get("normalizer"))}


def table_exceptions(normalize: Callable[[str], str]) -> dict[str, str]:
    """Return the characters that a table and the runtime normalize differently, with the table's results.

    Raises:
        UnknownTableError: there are more than `_MAX_EXCEPTIONS`.
    """
    letters = (chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000)
    old = (each for each in letters if unicodedata.ucd_3_2_0.category(each) not in ("Cn", "Co"))
    exceptions = {each: meant for each in old if (meant := normalize(each)) != normalize_in_runtime(each)}
    if len(exceptions) > _MAX_EXCEPTIONS:
        raise UnknownTableError(f"the table of its Precompiled normalizer differs on {len(exceptions)} characters")
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
    """Return a Precompiled normalizer between Replace steps for the exceptions of its table.

    table maps a to b               ->  Replace(a, b), Precompiled
    table keeps a, unlike NFKC      ->  Replace(a, stand-in), Precompiled, Replace(stand-in, a)
    """
    from tokenizers import normalizers

    table = normalizers.Precompiled(base64.b64decode(part["precompiled_charsmap"]))
    before: list[dict[str, Any]] = []
    after: list[dict[str, Any]] = []
    for letter, meant in table_exceptions(table.normalize_str).items():
        stand_in = chr(_PRIVATE_USE_START + len(before)) if meant == letter else meant
        before.append(_replace(letter, stand_in))
        after += [_replace(stand_in, letter)] if meant == letter else []
    return _sequence(*before, part, *after)


def normalize_in_runtime(letter: str) -> str:
    """Return the runtime's normalization of one character, which ignores the table."""
    if _REMOVED.match(letter):
        return ""
    if _REPLACED_BY_SPACE.match(letter):
        return " "
    return letter if letter == _FULLWIDTH_TILDE else unicodedata.normalize("NFKC", letter)


def _replace(letter: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": letter}, "content": content}


def _sequence(*parts: Any) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(parts)}
