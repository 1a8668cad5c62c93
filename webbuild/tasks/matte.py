"""Matte: the opacity of the foreground at each pixel of a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import MatteTask
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.matte_alpha import Matte, alpha_cells, alpha_planes, decode_alpha, decode_foreground
from webbuild.tasks.decoding.matte_image import matte_image
from webbuild.tasks.kind.tiling import TiledOutput
from webbuild.tasks.metrics.compare_cutout import compare_cutouts
from webbuild.tasks.metrics.compare_matte import LEVEL, compare_alpha, compare_mattes
from webbuild.tasks.recognition.matting import infer_matting, with_measured_range
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames

_SAME_MAP = 0.99
"""Correlation of the alphas of two photographs above which they count as the same."""


class MatteKind(TaskKind):
    """See `MatteTask` for the output."""

    spec = MatteTask
    page_template = "matte"
    page_options = True
    makes_image = True
    image_caption = "the foreground, over a checkerboard"
    blends_tiles = False
    checks_answers = True
    description = "Cuts the foreground out of a picture"
    required_signature = (
        "one picture [1, 3, h, w], and one map [1, h, w] or [1, 1, h, w], or maps of two classes [1, 2, h, w]"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize matting models by their outputs, file name or configuration."""
        return infer_matting(signature, requested=requested)

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with the value range measured on photographs: alpha, or its logits."""
        assert isinstance(match.task, MatteTask)
        alpha = np.stack([alpha_planes(match.task, each)[match.task.channel] for each in values])
        finite = alpha[np.isfinite(alpha)]
        return with_measured_range(match, finite) if finite.size else match

    def needed_outputs(self, task: MatteTask) -> Sequence[str]:
        """Return alpha, and the colours of the foreground if there are any."""
        return (task.output,) if task.foreground is None else (task.output, task.foreground)

    def tiled_outputs(self, task: MatteTask) -> Sequence[TiledOutput]:
        """Return alpha, and the colours of the foreground if there are any."""
        return [TiledOutput(name, task.layout) for name in self.needed_outputs(task)]

    def reads_whole_picture(self, task: MatteTask) -> str:
        """Return a reason if alpha is normalized by its minimum and maximum over the picture."""
        return "alpha is normalized by the minimum and maximum of the whole picture" if task.min_max else ""

    def with_tiles(self, task: MatteTask, plan: TilePlan) -> MatteTask:
        """Return the task with tiles."""
        return msgspec.structs.replace(task, tiles=plan)

    def tile_plan(self, task: MatteTask) -> TilePlan | None:
        """Return the tiles, None if pictures are resized instead."""
        return task.tiles

    def draw_tile(
        self, task: MatteTask, outputs: Tensors, source: NDArray[np.uint8], context: RunContext
    ) -> NDArray[Any]:
        """Return a tile's foreground colours, else its source colours, with alpha: [h, w, 4]."""
        (matte,) = self.decode(task, outputs, context)
        colors = source[..., :3] if matte.foreground is None else matte.foreground
        return np.dstack([colors, matte.alpha])

    def join_tiles(self, task: MatteTask, joined: NDArray[np.uint8], picture: Path) -> Sequence[Matte]:
        """Return alpha and the cutout."""
        colors = None if task.foreground is None else joined[..., :3]
        return [Matte(joined[..., 3], picture=picture, foreground=colors)]

    def decode(self, task: MatteTask, outputs: Tensors, context: RunContext) -> Sequence[Matte]:
        """Return alpha over the source picture, and the cutout."""
        if (placement := context.placement) is None:
            return ()
        alpha = decode_alpha(task, outputs[task.output], placement)
        colors = None if task.foreground is None else decode_foreground(task, outputs[task.foreground], placement)
        return [Matte(alpha, picture=context.picture_file, foreground=colors)]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Matte]:
        """Return alpha over the source picture, and the cutout."""
        cut = result["cutout"]
        pixels = cut["data"].reshape(cut["height"], cut["width"], 4)
        return [Matte(result["alpha"].reshape(result["height"], result["width"]), pixels)]

    def image(
        self, task: MatteTask, prediction: Matte, reference: Matte, pixels: NDArray[np.uint8] | None
    ) -> NDArray[np.uint8]:
        """Return the foreground over a checkerboard."""
        return matte_image(prediction.alpha, pixels)

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        worst = f"{tolerance.alpha * tolerance.alpha_worst:g} and the rounding to 255 levels at any pixel"
        outlines = f"{tolerance.gradient:g} a pixel of its gradient, on average along outlines"
        cutout = "the same and the rounding to levels for the cutout's colours times alpha"
        return f"a mean absolute error of alpha of {tolerance.alpha:g}; {worst}; {outlines}; {cutout}"

    def summary(self, task: MatteTask, pictures: int) -> str:
        """Return what the model does."""
        return "Cuts the foreground out of a picture."

    def typescript(self, task: MatteTask) -> TypeNames:
        """Return the name of the cutout."""
        return TypeNames("cutout", takes_background=True, functions=("toPng",), tiled=task.tiles is not None)

    def answer_warnings(self, task: MatteTask, answers: Sequence[Tensors]) -> Sequence[str]:
        """Warn if alpha is nearly the same for different photographs, or flat."""
        first, second = (alpha_cells(task, each[task.output]).ravel() for each in answers[:2])
        if not (first.std() > LEVEL and second.std() > LEVEL):
            return (f"alpha is nearly the same everywhere on two photographs. {_PREPROCESSING}",)
        correlation = float(np.corrcoef(first, second)[0, 1])
        if not correlation > _SAME_MAP:
            return ()
        warning = f"alpha hardly depends on the picture: two unlike photographs correlate by {correlation:.2f}"
        return (f"{warning}. {_PREPROCESSING}",)

    def describe_constant_output(self, task: MatteTask, name: str, array: NDArray[Any]) -> str:
        """Return "": a constant alpha may be right, as for a picture without a foreground."""
        return ""

    def compare_output(
        self,
        task: MatteTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare alpha over the input by its mean absolute error."""
        if subject.output != task.output:
            return None
        return compare_alpha(subject, alpha_cells(task, expected), alpha_cells(task, actual), tolerance)

    def compare(
        self,
        task: MatteTask,
        subject: ComparedOutput,
        expected: Sequence[Matte],
        actual: Sequence[Matte],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare alpha over the source picture, and the cutout."""
        if not expected:
            return ()
        sides = (expected[0], next(iter(actual), None))
        return [*compare_mattes(subject, *sides, tolerance), *compare_cutouts(subject, *sides, tolerance)]


_PREPROCESSING = "The preprocessing may be wrong: see --scale, --mean and --std"


TASK = MatteKind()
