"""Class maps in another layout than the task's."""

from __future__ import annotations

from msgspec import Struct


class ClassMapsPostprocess(Struct, frozen=True, kw_only=True):
    """Channels-last class maps, or a single mask map. `CLASS_MAPS` [1, classes, h, w] replaces the output.

    Attributes:
        output: name of the maps [1, h, w, classes], or of the mask [1, h, w, 1] or [1, 1, h, w].
        channels_last: see above.
        classes: number of classes; a mask has 2: background and foreground.
        threshold: a pixel above it is in the mask: 0.5 for probabilities, 0 for logits. Unused for class maps.
    """

    output: str
    channels_last: bool
    classes: int
    threshold: float = 0.5
