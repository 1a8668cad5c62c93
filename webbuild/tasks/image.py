"""Image: image-to-image models, such as super-resolution, denoising, low-light enhancement, colours or style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import ImageTask
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.image import load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.resample import ENLARGING_REACH
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.luma_picture import read_luma_picture
from webbuild.tasks.decoding.output_picture import OutputPicture, keep_outside, read_picture
from webbuild.tasks.kind.tiling import TiledOutput
from webbuild.tasks.metrics.compare_pictures import compare_pictures
from webbuild.tasks.recognition.picture_to_picture import infer_picture_to_picture
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames


class ImageKind(TaskKind):
    """See `ImageTask` for the output picture."""

    spec = ImageTask
    description = "Makes a picture of a picture"
    page_template = "image"
    makes_picture = True
    makes_image = True
    image_caption = "the picture that the model made"
    required_signature = (
        "one picture [1, 3, h, w] and a picture [1, 3, s h, s w] for a whole s from 1 to 8, or luma [1, 1, h, w] and "
        "[1, 1, s h, s w], or both channels last"
    )

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize models by `config.json`; others are recognized later, by their outputs."""
        return infer_picture_to_picture(signature, requested=requested)

    def needed_outputs(self, task: ImageTask) -> Sequence[str]:
        """Return the output picture."""
        return (task.output,)

    def tiled_outputs(self, task: ImageTask) -> Sequence[TiledOutput]:
        """Return the output picture."""
        reach = ENLARGING_REACH if task.luma else 0
        return (TiledOutput(task.output, task.layout, task.scale, task.low, task.high, reach),)

    def with_tiles(self, task: ImageTask, plan: TilePlan) -> ImageTask:
        """Return the task with tiles."""
        return msgspec.structs.replace(task, tiles=plan)

    def decode(self, task: ImageTask, outputs: Tensors, context: RunContext) -> Sequence[OutputPicture]:
        """Return the output picture."""
        file, output = context.picture_file, outputs[task.output]
        if (placement := context.placement) is None or (task.luma and file is None):
            return ()
        source = load_image(file) if file is not None and (task.luma or context.hole is not None) else None
        return [_read(task, output, placement, source, context.hole)]

    def tile_plan(self, task: ImageTask) -> TilePlan | None:
        """Return the tiles, None if pictures are resized instead."""
        return task.tiles

    def draw_tile(
        self, task: ImageTask, outputs: Tensors, source: NDArray[np.uint8], context: RunContext
    ) -> NDArray[Any]:
        """Return the output picture of a tile."""
        assert context.placement is not None
        return _read(task, outputs[task.output], context.placement, source, context.hole).rgba

    def join_tiles(self, task: ImageTask, joined: NDArray[np.uint8], picture: Path) -> Sequence[OutputPicture]:
        """Return the output picture."""
        return [OutputPicture(joined)]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[OutputPicture]:
        """Return the output picture."""
        picture = result["picture"]
        return [OutputPicture(picture["data"].reshape(picture["height"], picture["width"], 4))]

    def image(
        self, task: ImageTask, prediction: OutputPicture, reference: OutputPicture, pixels: NDArray[np.uint8] | None
    ) -> NDArray[np.uint8]:
        """Return the picture."""
        return prediction.rgba

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        least = -20 * np.log10(tolerance.picture)
        worst = 255 * tolerance.picture * tolerance.picture_worst
        return f"a PSNR of {least:.0f} dB, and at most {worst:.0f} of 255 levels at any pixel"

    def summary(self, task: ImageTask, pictures: int) -> str:
        """Return what the model does."""
        larger = "" if task.scale == 1 else f", {task.scale} times as large on each side"
        return f"Makes a picture of a picture{larger}."

    def typescript(self, task: ImageTask) -> TypeNames:
        """Return the name of the picture."""
        return TypeNames("picture", tiled=task.tiles is not None)

    def describe_constant_output(self, task: ImageTask, name: str, array: NDArray[Any]) -> str:
        """Return "": a constant output may be right, as for a wall of one colour."""
        return ""

    def compare(
        self,
        task: ImageTask,
        subject: ComparedOutput,
        expected: Sequence[OutputPicture],
        actual: Sequence[OutputPicture],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the pictures, pixel by pixel."""
        if not expected:
            return ()
        return [compare_pictures(subject, expected[0], next(iter(actual), None), tolerance)]


def _read(
    task: ImageTask,
    output: NDArray[Any],
    placement: ImagePlacement,
    source: NDArray[np.uint8] | None,
    hole: NDArray[np.bool_] | None,
) -> OutputPicture:
    """Return the output picture, combined with the source's chroma (luma models) or its pixels outside the hole."""
    if task.luma and source is not None:
        return read_luma_picture(task, output, placement, source)
    picture = read_picture(task, output, placement)
    if hole is None or source is None or task.scale != 1:
        return picture
    return keep_outside(picture, hole, source)


TASK = ImageKind()
