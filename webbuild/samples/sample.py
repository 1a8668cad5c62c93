"""A sample: the feeds of one run, and their source files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import FocusInput, Input, TensorInput
from webbuild.preprocess.image_stack import focus_tensor
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.point_prompt import PointPrompt
from webbuild.preprocess.prompt import Prompt
from webbuild.preprocess.size_feeds import size_feeds
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.samples.random_inputs import NO_RANGES, Ranges, random_tensor


class Frame(Struct, frozen=True):
    """A picture of a focal stack: file name and contents."""

    name: str
    data: bytes


class Sample(Struct, frozen=True):
    """The feeds of one run.

    Attributes:
        name: unique among the samples of a model.
        feeds: the tensors by input name.
        image_file: the file of the picture.
        placement: the picture's placement in the input.
        size: width and height of the picture.
        frames: the pictures of a focal stack, instead of `image_file`.
        focus: their focal distances, empty if unknown.
        prompt: the text prompt.
        redraw: returns other random feeds, by attempt; None if the feeds are not random.
        hole: the mask to inpaint, [height, width].
        points: the point prompt.
        sequence: the name of the sequence that this is a step of.
        continues: whether the step takes the states of the run before.
    """

    name: str
    feeds: dict[str, NDArray[Any]]
    image_file: Path | None = None
    placement: ImagePlacement | None = None
    size: tuple[int, int] = (0, 0)
    frames: tuple[Frame, ...] = ()
    focus: tuple[float, ...] = ()
    prompt: Prompt | None = None
    redraw: Callable[[int], dict[str, NDArray[Any]]] | None = None
    hole: NDArray[np.bool_] | None = None
    points: PointPrompt | None = None
    sequence: str = ""
    continues: bool = False

    @property
    def has_image(self) -> bool:
        """Whether the sample has a picture or a stack of pictures."""
        return self.image_file is not None or bool(self.frames)


def feeds_beside_image(
    inputs: Sequence[Input], placement: ImagePlacement, focus: Sequence[float] = (), ranges: Ranges = NO_RANGES
) -> dict[str, NDArray[Any]]:
    """Return the feeds other than pictures: sizes, focal distances, numbers, zero states, and random tensors."""
    tensors = {spec.name: random_tensor(spec, 0, ranges) for spec in inputs if isinstance(spec, TensorInput)}
    focused = {spec.name: focus_tensor(spec, focus) for spec in inputs if isinstance(spec, FocusInput)}
    return {**tensors, **focused, **number_feeds(inputs), **state_feeds(inputs), **size_feeds(inputs, placement)}
