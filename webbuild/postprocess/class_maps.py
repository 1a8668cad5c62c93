"""Maps of classes in another form than the task's."""

from __future__ import annotations

from msgspec import Struct


class ClassMapsPostprocess(Struct, frozen=True, kw_only=True):
    """Maps of classes whose channels come last, or the one map of a mask; `CLASS_MAPS` [1, classes, h, w] replaces it.

    Attributes:
        output: name of the maps [1, h, w, classes], or of the mask [1, h, w, 1] or [1, 1, h, w].
        channels_last: see above.
        classes: how many there are; 2 of a mask: what is not in it, and what is.
        threshold: above it a pixel is in the mask: 0.5 of probabilities, 0 of logits. Nothing to maps of classes.
    """

    output: str
    channels_last: bool
    classes: int
    threshold: float = 0.5
