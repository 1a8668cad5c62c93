"""Names and types of a task's results in the `.d.ts` file of a bundle."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class TypeNames(Struct, frozen=True):
    """The TypeScript side of a model: what a result's list is called, and what narrows the runtime's own types.

    Attributes:
        result_field: the field of a result that holds the prediction.
        item_type: the type of one object in it; empty where the runtime's own type says all that there is to say.
        labels: the names that an object can have.
        label_comment: what has such a name, for the comment on the type.
        item_comment: the comment on the type of an object.
        keypoints: the names of its keypoints, None for a task without any.
        modes: the ways of segmenting that a caller can choose from.
        selectable_outputs: whether the caller chooses what a result holds.
        confidence_alpha: whether colours can be the more transparent the less sure the model is.
        takes_background: whether the caller chooses what a cutout lies on.
        prompt: the limits and thresholds of a model that takes a prompt.
        named_outputs: whether a result is the outputs themselves, by name.
        tiled: whether pictures are run in tiles.
        merges: how what slices of a picture found may be put together; none where it is not run in slices.
        functions: functions of the runtime that take such a result.
        result: the runtime's name of the result's type, empty where it has that of the task.
        crop_attribute: the field of an object that a stage of crops fills in, empty for any other task.
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
"""How SAHI puts together what slices found."""
TRACK_FUNCTIONS = ("countCrossings", "inZone", "Tracker")
"""Functions, and the class, of detections with tracks."""
OBJECT_FUNCTIONS = (*TRACK_FUNCTIONS, "toCoco", "toSupervision")
"""Functions that take a result with boxes."""
MASK_FUNCTIONS = ("toCoco", "toPng", "toSupervision")
"""Functions that take a result with boxes and masks."""


class PromptLimits(Struct, frozen=True):
    """The most tokens of a prompt, and the exported thresholds."""

    tokens: int
    confidence: float
    text_threshold: float
