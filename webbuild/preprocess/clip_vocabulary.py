"""OpenAI's vocabulary of CLIP as a tokenizer.json: `bpe_simple_vocab_16e6.txt.gz`, which open_clip ships too."""

from __future__ import annotations

import io
import json
import zlib
from gzip import GzipFile
from typing import Any

VOCABULARY_FILE = "bpe_simple_vocab_16e6.txt.gz"
_WORD_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_SPECIAL_TOKENS = ("<|startoftext|>", "<|endoftext|>")
_MERGE_COUNT = 49_408 - 2 * 256 - len(_SPECIAL_TOKENS)
"""Merges in use; later lines are unused. Vocabulary = bytes + word-final bytes + merges + special tokens."""
_MAX_BYTES = 16_000_000


def tokenizer_json_from_merges(packed: bytes) -> str:
    """Return the tokenizer.json of a gzipped list of merges: a header line, then two tokens a line.

    It tokenizes like transformers. CLIP's own code differs: it repairs text with `ftfy`, decodes HTML entities, and
    lower-cases a word-final sigma differently.

    Raises:
        ValueError: `packed` is not a gzipped list of CLIP's merges.
    """
    try:
        lines = GzipFile(fileobj=io.BytesIO(packed)).read(_MAX_BYTES).decode().split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
    merges = [line.split() for line in lines[1 : _MERGE_COUNT + 1]]
    if len(merges) != _MERGE_COUNT or any(len(pair) != 2 for pair in merges):
        raise ValueError(f"does not have the {_MERGE_COUNT:,} merges of CLIP")
    letters = _byte_letters()
    tokens = [*letters, *(f"{each}</w>" for each in letters), *("".join(pair) for pair in merges), *_SPECIAL_TOKENS]
    return json.dumps(_tokenizer({token: number for number, token in enumerate(tokens)}, merges))


def _byte_letters() -> list[str]:
    """Return the character that stands for each byte, as in GPT-2: printable bytes first, as themselves."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return [*map(chr, shown), *(chr(0x100 + at) for at in range(0x100 - len(shown)))]


def _tokenizer(numbers: dict[str, int], merges: list[list[str]]) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    first, last = ([end, numbers[end]] for end in _SPECIAL_TOKENS)
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    words = {"type": "Split", "pattern": {"Regex": _WORD_PATTERN}, "behavior": "Removed", "invert": True}
    as_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": numbers[end], "content": end, **flags} for end in _SPECIAL_TOKENS],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, spaces, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [words, as_bytes]},
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": last,
            "cls": first,
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": _SPECIAL_TOKENS[1],
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "</w>",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": numbers,
            "merges": merges,
        },
    }
