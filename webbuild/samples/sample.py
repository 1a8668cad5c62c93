"""A sample: what is fed to a model in one run, and the file that it came from."""

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
    """A picture of a stack: what its file is called, and what is in it."""

    name: str
    data: bytes


class Sample(Struct, frozen=True):
    """One run's feeds. `image_file` is the file it came from, `placement` where that lies in the input.

    A stack has `frames` instead, and what is known of its focal distances. `prompt` is what is looked for. `redraw`
    makes up other feeds, by attempt, of a sample whose feeds are numbers at random. `hole` is what is filled in,
    `points` what is pointed at, `reference_file` the second picture. A step of a `sequence` that `continues` takes the
    states of the run before.
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
    reference_file: Path | None = None
    sequence: str = ""
    continues: bool = False

    @property
    def has_image(self) -> bool:
        """Whether there is anything to look at."""
        return self.image_file is not None or bool(self.frames)


def feeds_beside_image(
    inputs: Sequence[Input], placement: ImagePlacement, focus: Sequence[float] = (), ranges: Ranges = NO_RANGES
) -> dict[str, NDArray[Any]]:
    """Return what is fed besides pictures: sizes, distances, states, and numbers at random for what is not known."""
    tensors = {spec.name: random_tensor(spec, 0, ranges) for spec in inputs if isinstance(spec, TensorInput)}
    focused = {spec.name: focus_tensor(spec, focus) for spec in inputs if isinstance(spec, FocusInput)}
    return {**tensors, **focused, **number_feeds(inputs), **state_feeds(inputs), **size_feeds(inputs, placement)}
