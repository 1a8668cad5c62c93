"""Outputs of a detector with a text prompt."""

from __future__ import annotations

from msgspec import Struct


class GroundingPostprocess(Struct, frozen=True, kw_only=True):
    """Unchanged outputs: decoding them needs the prompt, which only the runtime knows.

    Attributes:
        constant_masks: names and shapes of inputs that are all ones: masks that tell the picture from the padding.
    """

    constant_masks: dict[str, tuple[int, ...]] = {}
