"""The tensors of a text prompt."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape

PromptRole = Literal["input_ids", "attention_mask", "token_type_ids", "position_ids", "self_attention_mask"]


class PromptInput(ManifestStruct, tag="prompt", tag_field="kind", kw_only=True, frozen=True):
    """One tensor of the text prompt; the runtime fills it in.

    For n tokens, zero-padded to `shape`, as `dtype`:

    - `input_ids`: the token ids (padded with the id of [PAD]).
    - `attention_mask`: ones.
    - `token_type_ids`: zeros.
    - `position_ids`: the position of each token in its phrase.
    - `self_attention_mask` [1, n, n]: whether one token attends to another: itself, and the tokens of its phrase. A
      phrase ends with its separator.
    """

    name: str
    dtype: Literal["int64", "int32", "float32", "bool"]
    shape: Shape
    role: PromptRole
