"""The components of a tokenizer.json, and whether the tokenizer of the runtime supports them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NORMALIZERS = "BertNormalizer Lowercase NFC NFD NFKC NFKD Precompiled Prepend Replace Sequence Strip StripAccents"
_PRE_TOKENIZERS = (
    "BertPreTokenizer ByteLevel Digits FixedLength Metaspace Punctuation Sequence Split Whitespace WhitespaceSplit"
)
_POST_PROCESSORS = "BertProcessing ByteLevel RobertaProcessing Sequence TemplateProcessing"
_KNOWN_PARTS: dict[str, list[str]] = {
    "model": ["BPE", "Unigram", "WordPiece"],
    "normalizer": _NORMALIZERS.split(),
    "pre_tokenizer": _PRE_TOKENIZERS.split(),
    "post_processor": _POST_PROCESSORS.split(),
}
"""Component types that `@huggingface/tokenizers` supports, by section of a tokenizer.json."""
_SEQUENCE_FIELDS = ("normalizers", "pretokenizers", "processors")
"""Fields with the components of a Sequence."""


def unknown_part(tokenizer: Mapping[str, Any]) -> str | None:
    """Return the first component of a tokenizer.json that the runtime does not support, None if it supports all."""
    for name, known in _KNOWN_PARTS.items():
        for kind in _component_types(tokenizer.get(name)):
            if kind not in known:
                return f"{name.replace('_', '-')} {kind}"
    return None


def has_expression(part: Any) -> bool:
    """Whether a component has a regular expression, which may take exponential time on some text."""
    if isinstance(part, Mapping):
        return "Regex" in part or any(has_expression(each) for each in part.values())
    return isinstance(part, list) and any(has_expression(each) for each in part)


def _component_types(part: Any) -> Iterator[str]:
    """Yield the types of a component and of its nested components."""
    if not isinstance(part, Mapping):
        return
    yield str(part.get("type"))
    for inside in _SEQUENCE_FIELDS:
        for each in part.get(inside) or ():
            yield from _component_types(each)
