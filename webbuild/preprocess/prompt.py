"""Text prompts of grounded detection: turn a text into token ids, position ids and attention masks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import GroundingTask, Input, PromptInput
from webbuild.preprocess.wordpiece import WordpieceTokenizer

SEPARATOR_TOKENS = ("[CLS]", "[SEP]", ".", "?")
"""Tokens that separate phrases."""


class Prompt(Struct, frozen=True):
    """A prompt of n tokens.

    Attributes:
        text: the tokenized text: in lower case, with a full stop at the end.
        ids: token ids [n], including [CLS] and [SEP].
        separators: positions of the separators, including [CLS] and [SEP].
        phrases: the texts between separators, in order.
        tokenizer: the tokenizer, to decode tokens.
    """

    text: str
    ids: tuple[int, ...]
    separators: tuple[int, ...]
    phrases: tuple[str, ...]
    tokenizer: WordpieceTokenizer


def caption(prompt: str | Sequence[str]) -> str:
    """Return a prompt as one text: in lower case, a full stop after every phrase.

    Raises:
        WebbuildError: `invalid-prompt` for an empty prompt, or a list with a phrase that has a full stop or is empty.
    """
    if not isinstance(prompt, str):
        phrases = [phrase.lower().strip() for phrase in prompt]
        if not phrases or any(not phrase or "." in phrase for phrase in phrases):
            raise _invalid_prompt("a list of phrases has none, or one that is empty or has a full stop")
        return ". ".join(phrases) + "."
    text = prompt.lower().strip()
    if not text.strip(" .?"):
        raise _invalid_prompt("the prompt is empty")
    return text if text.endswith(".") else f"{text}."


def tokenize_prompt(prompt: str | Sequence[str], tokenizer: WordpieceTokenizer, task: GroundingTask) -> Prompt:
    """Tokenize a prompt for a model.

    Raises:
        WebbuildError: `invalid-prompt`, also for more tokens than the model takes.
    """
    text = caption(prompt)
    ids = tuple(tokenizer.encode(text))
    if len(ids) > task.max_tokens:
        raise _invalid_prompt(f"the prompt has {len(ids)} tokens, and the model takes {task.max_tokens}")
    special = {task.special_tokens.get(piece) for piece in SEPARATOR_TOKENS}
    ends = tuple(position for position, number in enumerate(ids) if number in special)
    phrases = tuple(
        tokenizer.decode(ids[before + 1 : end])
        for before, end in pairwise(ends)
        if end < len(ids) - 1 or end - before > 1
    )
    return Prompt(text, ids, ends, phrases, tokenizer)


def _position_ids(prompt: Prompt) -> list[int]:
    """Return each token's position in its phrase [n], as Grounding DINO's `generate_masks_with_special_tokens...`."""
    positions = [0] * len(prompt.ids)
    for before, end in _phrase_spans(prompt):
        positions[before + 1 : end + 1] = range(end - before)
    return positions


def _self_attention_mask(prompt: Prompt) -> NDArray[np.bool_]:
    """Return the attention mask [n, n]: a token attends to itself and to the tokens of its phrase."""
    count = len(prompt.ids)
    mask = np.eye(count, dtype=bool)
    for before, end in _phrase_spans(prompt):
        mask[before + 1 : end + 1, before + 1 : end + 1] = True
    return mask


def prompt_feeds(inputs: Sequence[Input], task: GroundingTask, prompt: Prompt) -> dict[str, NDArray[Any]]:
    """Return the tensor of every prompt input, padded to the input's length."""
    return {spec.name: _prompt_tensor(spec, task, prompt) for spec in inputs if isinstance(spec, PromptInput)}


def _phrase_spans(prompt: Prompt) -> list[tuple[int, int]]:
    """Return each phrase as (separator before it, separator after it); [CLS] and [SEP] belong to no phrase."""
    last = len(prompt.ids) - 1
    ends = (0, *(end for end in prompt.separators if end > 0))
    return [(before, end) for before, end in pairwise(ends) if end != last]


def _prompt_tensor(spec: PromptInput, task: GroundingTask, prompt: Prompt) -> NDArray[Any]:
    length, count = spec.shape[-1], len(prompt.ids)
    if spec.role == "self_attention_mask":
        mask = np.eye(length, dtype=bool)
        mask[:count, :count] = _self_attention_mask(prompt)
        return mask.astype(spec.dtype).reshape(spec.shape)
    rows = {
        "input_ids": list(prompt.ids),
        "attention_mask": [1] * count,
        "token_type_ids": [0] * count,
        "position_ids": _position_ids(prompt),
    }
    padding = task.special_tokens["[PAD]"] if spec.role == "input_ids" else 0
    return np.array([*rows[spec.role], *[padding] * (length - count)]).astype(spec.dtype).reshape(spec.shape)


def _invalid_prompt(what: str) -> WebbuildError:
    fix = 'write phrases with full stops between them, such as "red circle . blue square ."'
    return WebbuildError("invalid-prompt", what, fix, exit_code=USAGE)
