"""Feeds of a text encoder from the token ids of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Input, PromptInput
from webbuild.manifest.tasks.embed import TextInput


def text_feeds(inputs: Sequence[Input], spec: TextInput, text: str, ids: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return a tensor [1, length] for each prompt input of a text with the tokens `ids`.

    Raises:
        WebbuildError: `invalid-prompt` for a text without tokens, or with more tokens than the encoder takes.
    """
    if not ids or len(ids) > spec.length:
        what = f"'{text[:80]}' has {len(ids)} tokens, the text encoder takes 1 to {spec.length}"
        raise WebbuildError("invalid-prompt", what, "write a shorter text", exit_code=USAGE)
    rest = spec.length - len(ids)
    rows = {
        "input_ids": [*ids, *[spec.padding] * rest],
        "attention_mask": [1] * len(ids) + [0] * rest,
        "token_type_ids": [0] * spec.length,
        "position_ids": list(range(spec.length)),
    }
    prompts = [each for each in inputs if isinstance(each, PromptInput)]
    return {each.name: np.array([rows[each.role]]).astype(each.dtype) for each in prompts}
