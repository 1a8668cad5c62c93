"""Names and types of a task's results in the `.d.ts` file of a bundle."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class TypeNames(Struct, frozen=True):
    """The TypeScript types of a model's results, which narrow the runtime's own types.

    Attributes:
        result_field: the field of a result with the prediction.
        item_type: the type of one object in the prediction; empty to use the runtime's type.
        labels: the class names of objects.
        label_comment: the comment on the type of labels, after "What a".
        item_comment: the comment on the type of an object.
        keypoints: the names of an object's keypoints, None for a task without keypoints.
        modes: the segmentation modes that a caller can choose from.
        selectable_outputs: whether the caller selects the contents of a result.
        confidence_alpha: whether the confidence can become the alpha of the colours.
        takes_background: whether the caller can choose the background of a cutout.
        prompt: the limits and thresholds of a model with a text prompt.
        named_outputs: whether a result contains the outputs by name.
        tiled: whether pictures are run in tiles.
        merges: the ways to merge detections from slices of a picture; empty if the task cannot run in slices.
        functions: functions of the runtime that take the result.
        result: the runtime's name of the result's type, empty for the task's default.
        crop_attribute: the field of an object that a crop stage fills in, empty for any other task.
    """

    result_field: str = "outputs"
    item_type: str = ""
    labels: Sequence[str] = ()
    label_comment: str = "detection can be"
    item_comment: str = "A detection, in pixels of the source picture"
    keypoints: Sequence[str] | None = None
    modes: Sequence[str] = ()
    selectable_outputs: bool = False
    confidence_alpha: bool = False
    takes_background: bool = False
    prompt: PromptLimits | None = None
    named_outputs: bool = False
    tiled: bool = False
    merges: Sequence[str] = ()
    functions: Sequence[str] = ()
    result: str = ""
    crop_attribute: str = ""

    @property
    def tracked(self) -> bool:
        """Whether detections of a video keep an id."""
        return set(TRACK_FUNCTIONS) <= set(self.functions)


MERGES = ("greedy-nmm", "nms")
"""SAHI's ways to merge detections from slices."""
TRACK_FUNCTIONS = ("countCrossings", "inZone", "Tracker")
"""Functions, and the class, for tracking."""
OBJECT_FUNCTIONS = (*TRACK_FUNCTIONS, "toCoco", "toSupervision")
"""Functions that take a result with boxes."""
MASK_FUNCTIONS = ("toCoco", "toPng", "toSupervision")
"""Functions that take a result with boxes and masks."""


class PromptLimits(Struct, frozen=True):
    """The maximum number of tokens of a prompt, and the exported thresholds."""

    tokens: int
    confidence: float
    text_threshold: float
