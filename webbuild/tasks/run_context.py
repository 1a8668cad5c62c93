"""The context of a run: the parameters of decoding, besides the outputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.preprocess.prompt import Prompt

SegmentationMode = Literal["panoptic", "instance", "semantic"]


class RunContext(Struct, frozen=True):
    """The decoding parameters of one run.

    Attributes:
        placement: the picture's placement in the model's input, None for plain tensors.
        thresholds: thresholds by option. Those that are graph inputs are already applied by the graph.
        prompt: the text prompt.
        mode: the segmentation mode, None for the task's default.
        picture_file: the picture, or the first of a stack; None if the feeds are not from a picture.
        hole: the pixels to inpaint, [height, width]; None for a model without a mask.
        points: the point prompt; None for a model without clicks.
        others: the reference's predictions for the other inputs of a comparison, for a task that ranks inputs.
    """

    placement: ImagePlacement | None = None
    thresholds: Mapping[str, float] = {}
    prompt: Prompt | None = None
    mode: SegmentationMode | None = None
    picture_file: Path | None = None
    hole: NDArray[np.bool_] | None = None
    points: PointPrompt | None = None
    others: tuple[Any, ...] = ()
