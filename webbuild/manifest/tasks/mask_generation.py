"""Masks for a prompt of clicks, a box or a previous mask (promptable segmentation)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class MaskGenerationTask(Task, tag="mask-generation", kw_only=True, frozen=True):
    """Masks for a prompt of clicks, a box or a previous mask (promptable segmentation, SAM).

    Prompts and masks are in the frame: `frame` [height, width] pixels, with the encoder's input in its upper left
    corner, and the picture where its `Letterbox` places it. A click at x y of the picture is in the frame at left + x *
    width / source width, top + y * height / source height; `unit` coordinates are these divided by the frame's width
    and height. If the decoder has another resolution than the encoder, points and boxes are multiplied by
    `point_scale`. See `PointPromptInput` for labels.

    A `box` is passed as two points at its `corners`, upper left first, after the clicks; as a separate `input`; or not
    at all (`none`). With `padding_point`, a prompt without a box gets a point 0 0 with the label -1 at its end;
    otherwise the graph adds its padding itself.

    `masks` [1, masks, h, w] or [1, objects, masks, h, w] are logits over the whole frame. `scores` [1, masks] or [1,
    objects, masks] are the predicted IoU of each mask. A graph that takes prompts for several objects in a run can have
    [objects, masks, ...] instead. The mask `single` is for unambiguous prompts. The masks `multi` are the possible
    parts and wholes of an ambiguous prompt; the best has the highest score. A caller that requests all masks gets
    `multi`. Otherwise the result is the best of `multi` for a single click, and `single` for any other prompt. If
    `single` is None, it is always the best of `multi`; if `multi` is empty, always `single`.

    A pixel of the picture is in a mask if its logit is above `threshold`. With `through_input` logits are resized to
    the frame, cropped to the picture's place in it and resized to the picture; without, they are sampled like a
    `DepthTask`'s map. Both are bilinear, with half-pixel centres and clamped edges.
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
