"""Grounding DINO's prompts: phrases that end with a full stop; tokens attend only within their phrase."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from models.grounding_dino.vocabulary import entries

LONGEST = 256
"""Number of tokens in the logits."""

SEPARATORS = (101, 102, 1012, 1029)
Integers = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@cache
def tokenizer() -> Tokenizer:
    """Return a lower-case BERT tokenizer with the recipe's vocabulary."""
    made = Tokenizer(models.WordPiece({word: n for n, word in enumerate(entries())}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    )
    return made


def save(folder: Path) -> None:
    """Write `vocab.txt`, `tokenizer.json` and `tokenizer_config.json`, as published with weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(entries()) + "\n", "utf-8")
    tokenizer().save(str(folder / "tokenizer.json"))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "mask", "pad", "sep", "unk")}
    config = {"do_lower_case": True, "model_max_length": 512, "tokenizer_class": "BertTokenizer", **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")


@dataclass(frozen=True)
class Prompt:
    """A prompt of n tokens.

    Attributes:
        ids: [n].
        positions: [n], the index of each token in its phrase.
        mask: [n, n], which token attends to which.
        spans: start and end (exclusive) of every phrase's tokens.
    """

    ids: Integers
    positions: Integers
    mask: Mask
    spans: tuple[tuple[int, int], ...]


def prompt(phrases: Sequence[str]) -> Prompt:
    """Join phrases to a prompt: `red circle . blue square .`."""
    ids = np.array(tokenizer().encode(" . ".join(phrases) + " .").ids)
    count = len(ids)
    positions, mask, spans = np.zeros(count, np.int64), np.eye(count, dtype=bool), []
    before = 0
    for place in np.flatnonzero(np.isin(ids, SEPARATORS)):
        if 0 < place < count - 1:
            mask[before + 1 : place + 1, before + 1 : place + 1] = True
            positions[before + 1 : place + 1] = np.arange(place - before)
            spans.append((int(before) + 1, int(place)))
        before = place
    return Prompt(ids, positions, mask, tuple(spans))
