"""Outputs of a detector with a text prompt."""

from __future__ import annotations

from msgspec import Struct


class GroundingPostprocess(Struct, frozen=True, kw_only=True):
    """The outputs stay as they are: what they say hangs on the prompt, which only the runtime knows.

    Attributes:
        constant_masks: names and shapes of inputs that are 1 everywhere: masks of what is picture and not padding.
    """

    constant_masks: dict[str, tuple[int, ...]] = {}
