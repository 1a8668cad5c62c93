"""The tokenizer of a text encoder: texts into token numbers of one length, padded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError

_MAX_BYTES = 100_000_000
"""Bytes of a tokenizer.json that are read; Gemma's, of SigLIP 2, is a third of it."""
_FIX = "copy the tokenizer.json that the text encoder was exported with next to it"


class TokenizedTexts(Struct, frozen=True):
    """Token numbers and what of them is text, 1 or 0, both [texts, length]; `padding` is what fills the rest."""

    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    padding: str


def tokenize_texts(model: Path, config: Mapping[str, Any], texts: Sequence[str], length: int) -> TokenizedTexts:
    """Tokenize texts with the tokenizer.json beside a model, or above its folder `onnx`.

    Args:
        model: the text encoder's file.
        config: what `tokenizer_config.json` holds, which names the token that pads.
        texts: what is tokenized.
        length: tokens that each text becomes.

    Raises:
        WebbuildError: `no-tokenizer`, `tokenizer-mismatch`, `tokenizers-missing`; `invalid-labels` for a text of more
            tokens.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        what, fix = "tokenizers: not installed; labels are tokenized", "pip install 'webbuild[tokenizers]'"
        raise WebbuildError("tokenizers-missing", what, fix, exit_code=USAGE) from error
    try:
        tokenizer = Tokenizer.from_str(_read(model))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        encoded = [each.ids for each in tokenizer.encode_batch(list(texts))]
    except WebbuildError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # of the library's Rust
            raise
        what = f"{model.name}: the tokenizer.json beside it cannot be used: {error}"
        raise WebbuildError("tokenizer-mismatch", what, _FIX) from error
    longest = max(range(len(texts)), key=lambda at: len(encoded[at]))
    if len(encoded[longest]) > length:
        what = f"'{texts[longest][:80]}' has {len(encoded[longest])} tokens, the text encoder takes {length}"
        raise WebbuildError("invalid-labels", what, "write shorter labels or templates", exit_code=USAGE)
    padding, number = _padding(tokenizer, config)
    ids = np.full((len(texts), length), number, np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return TokenizedTexts(ids, mask, padding)


def _read(model: Path) -> str:
    folders = [model.parent, model.parent.parent] if model.parent.name == "onnx" else [model.parent]
    found = next((file for folder in folders if (file := folder / "tokenizer.json").is_file()), None)
    if found is None:
        raise WebbuildError("no-tokenizer", f"{model}: no tokenizer.json lies beside the text encoder", _FIX)
    if found.stat().st_size > _MAX_BYTES:
        raise WebbuildError("tokenizer-mismatch", f"{found}: more than {_MAX_BYTES:,} bytes", _FIX)
    return found.read_text("utf-8")


def _padding(tokenizer: Any, config: Mapping[str, Any]) -> tuple[str, int]:
    """Return the token that pads, by its name in the configurations, else number 0, as OpenAI's CLIP has it."""
    named = config.get("pad_token")
    named = named.get("content") if isinstance(named, Mapping) else named
    if named is None:
        named = (json.loads(tokenizer.to_str()).get("padding") or {}).get("pad_token")
    number = tokenizer.token_to_id(named) if isinstance(named, str) else None
    return (named, number) if isinstance(named, str) and number is not None else ("token 0", 0)
