"""Presentation: the methods of a task that show it and its predictions as text, types and images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import Task
from webbuild.tasks.type_names import TypeNames


class Presentation:
    """Shows a task and its predictions as text, TypeScript types and images."""

    description: str = "Takes pictures or tensors, returns tensors"
    """What a model of this task does, in a few words."""
    page_template: str = ""
    """The file in `bundle/templates/page/` with the markup of the predictions; empty if the page shows the outputs'
    tensors, or if the task's view in `web/page/views/` makes its own markup."""
    page_options: bool = False
    """Whether controls of the page set options of `run()`; the code shown on the page then contains them."""
    noun: str = ""
    """The noun for one item of a prediction, such as `detection`; empty if a prediction is one item."""
    makes_image: bool = False
    """Whether a prediction is a map or a picture, which a report shows as drawn by `image`."""
    image_caption: str = ""
    """Caption of that image, after the name of the task or backend."""

    def summary(self, task: Any, pictures: int) -> str:
        """Return what a model does, in a sentence; empty if only its inputs and outputs are known.

        `pictures` is the number of pictures that it takes per run.
        """
        return ""

    def staged_summary(self, task: Any, earlier: Sequence[Task]) -> str:
        """Return what a pipeline of several stages does; the last stage has this task, the earlier ones `earlier`."""
        return self.summary(task, 1)

    def typescript(self, task: Any) -> TypeNames:
        """Return the names and types of a model's results."""
        return TypeNames()

    def image(self, task: Any, prediction: Any, reference: Any, pixels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Draw a prediction as RGBA [height, width, 4]; only for a task that `makes_image`.

        Args:
            task: the task of the prediction.
            prediction: the prediction to draw.
            reference: the prediction of the reference, whose value range is the colour scale.
            pixels: the picture, RGBA; None if there is none.
        """
        raise NotImplementedError

    def skeleton(self, task: Any) -> Sequence[Sequence[int]]:
        """Return the pairs of keypoints that a drawing joins."""
        return ()
