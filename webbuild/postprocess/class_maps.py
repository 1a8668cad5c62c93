"""Class maps in another layout than the task's."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class ClassMapsPostprocess(Struct, frozen=True, kw_only=True):
    """Channels-last class maps, a single mask map, or labels. `CLASS_MAPS` [1, classes, h, w] replaces the output.

    Attributes:
        output: name of the maps [1, h, w, classes], of the mask [1, h, w, 1] or [1, 1, h, w], or of the labels, which
            have a mask's shape or [1, h, w].
        channels_last: see above.
        classes: number of classes; a mask has 2: background and foreground.
        labels: whether the output is the class of each pixel, as integers.
        threshold: a pixel above it is in the mask: 0.5 for probabilities, 0 for logits. Used for masks only.
    """

    output: str
    channels_last: bool
    classes: int
    labels: bool = False
    threshold: float = 0.5


def label_map_size(shape: Sequence[int]) -> tuple[int, int]:
    """Return the height and width of labels [1, h, w], [1, 1, h, w] or [1, h, w, 1]."""
    height, width = shape[1:3] if len(shape) == 3 or shape[3] == 1 else shape[2:4]
    return height, width
