"""The object that clicks, a box or an earlier answer point at."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class MaskGenerationTask(Task, tag="mask-generation", kw_only=True, frozen=True):
    """The object that clicks, a box or an earlier answer point at, and its mask.

    Prompts and masks lie in the frame: `frame` [height, width] pixels, in whose upper left corner the encoder's input
    is, with the picture where its `Letterbox` places it. A click at x y of the picture is in the frame at
    left + x * width / source width, top + y * height / source height; in `unit` coordinates that is divided by the
    frame's width and height. Where the decoder's pixels are others than the encoder's, the graph takes points and boxes
    times `point_scale`. See `PointPromptInput` for labels.

    A `box` goes in as two points at its `corners`, upper left first, after the others, as an `input` of its own, or not
    at all (`none`). With `padding_point` a prompt without a box gets a point 0 0 of the label -1 at its end; without,
    the graph adds what it was trained with.

    `masks` [1, masks, h, w] or [1, objects, masks, h, w] holds logits over the whole frame, `scores` [1, masks] or
    [1, objects, masks] the IoU that the model predicts of each; a graph that takes the prompts of several objects in a
    run has [objects, masks, ...] in place of the first. The mask `single` answers prompts that leave nothing
    open; the masks `multi` are the parts and wholes that an ambiguous one may mean, the best the one of the highest
    score. Who asks for all of them gets `multi`; else the best of them answers one click alone, and `single` any other
    prompt. Where `single` is None, the best of `multi` answers every prompt; where `multi` is empty, `single` does.

    A pixel of the picture is in a mask where its logit is above `threshold`. With `through_input` logits are resized to
    the frame, cut to the picture's place in it and resized to the picture; without, they are read as a `DepthTask`'s
    map is. Either way bilinearly, with half-pixel centres and clamped edges.
    """

    masks: OutputName
    scores: OutputName
    single: Count | None
    multi: list[Count]
    frame: Annotated[list[Count], Meta(min_length=2, max_length=2)]
    coordinates: Literal["pixels", "unit"] = "pixels"
    box: Literal["corners", "input", "none"]
    padding_point: bool
    through_input: bool
    threshold: float = 0.0
    point_scale: float | UnsetType = UNSET
