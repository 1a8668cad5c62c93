"""What becomes of a prompt of words."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape

PromptRole = Literal["input_ids", "attention_mask", "token_type_ids", "position_ids", "self_attention_mask"]


class PromptInput(ManifestStruct, tag="prompt", tag_field="kind", kw_only=True, frozen=True):
    """A part of what becomes of the prompt, the text that says what to look for; the runtime fills it in.

    For n tokens, padded to `shape` with zeros, as `dtype`: with `input_ids` their numbers (padded with that of [PAD]),
    with `attention_mask` ones, with `token_type_ids` zeros, with `position_ids` the place of each in its phrase, and
    with `self_attention_mask`, [1, n, n], whether one token sees another: itself, and those of its own phrase. A phrase
    ends with its separator.
    """

    name: str
    dtype: Literal["int64", "int32", "float32", "bool"]
    shape: Shape
    role: PromptRole
