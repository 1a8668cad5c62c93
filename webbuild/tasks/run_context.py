"""The context of a run: what decoding needs besides the outputs."""

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
    """One run's decoding parameters: everything that an answer depends on besides the outputs.

    Attributes:
        placement: where the picture lies in the model's input, None for plain tensors.
        thresholds: by option. Those that are inputs of the graph have done their work there.
        prompt: what is looked for, in the words of the caller.
        mode: how to segment, None for the task's own mode.
        picture_file: the picture, or the first of a stack; None where the feeds are no picture's.
        hole: which pixels of the picture are filled in, [height, width]; None of a model that takes no mask.
        points: what is pointed at; None of a model that takes no clicks.
        others: what the reference predicts of the other inputs of a comparison, of a task that ranks inputs.
    """

    placement: ImagePlacement | None = None
    thresholds: Mapping[str, float] = {}
    prompt: Prompt | None = None
    mode: SegmentationMode | None = None
    picture_file: Path | None = None
    hole: NDArray[np.bool_] | None = None
    points: PointPrompt | None = None
    others: tuple[Any, ...] = ()
