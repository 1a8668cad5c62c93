"""Pipelines with last stages that run on crops of an earlier stage's detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import RunInput
from webbuild.manifest.manifest import CropInput, Input, Task
from webbuild.manifest.stages import crop_input
from webbuild.preprocess.crop import fitting_input, place_crop, select_crop_boxes
from webbuild.preprocess.crop_box import CropBox
from webbuild.preprocess.image import load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.line_parts import line_parts
from webbuild.preprocess.picture import crops_to_tensor
from webbuild.runners.chain import RunStage, run_chain, stage_feeds
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.crop_boxes import crop_boxes
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext


class ChainStage(Struct, frozen=True):
    """A stage of a pipeline with the function that runs it, and its thresholds by option.

    `widths` are the inputs and runners for text lines too long for `inputs`.
    """

    name: str
    task: Task
    inputs: Sequence[Input]
    run: RunStage
    thresholds: Mapping[str, float]
    widths: Sequence[tuple[Sequence[Input], RunStage]] = ()

    @property
    def link(self) -> tuple[str, Sequence[Input], RunStage]:
        """Name, inputs and runner, for `run_chain`."""
        return self.name, self.inputs, self.run

    @property
    def crop(self) -> CropInput | None:
        """The crop input, None if the stage has none."""
        return crop_input(self.inputs)

    @property
    def crop_runs(self) -> list[tuple[CropInput, RunStage]]:
        """The crop input and the runner of each width."""
        return [
            (next(each for each in inputs if isinstance(each, CropInput)), run)
            for inputs, run in ((self.inputs, self.run), *self.widths)
        ]


def _crop_stages(stages: Sequence[ChainStage]) -> tuple[Sequence[ChainStage], Sequence[ChainStage]]:
    """Split a pipeline into the stages up to the detector, and the stages that run on crops of its boxes."""
    first = next(at for at, each in enumerate(stages) if at and each.crop is not None)
    finder = next(at for at in reversed(range(first)) if kind_of(stages[at].task).has_detections)
    return stages[: finder + 1], stages[first:]


def crop_thresholds(stages: Sequence[ChainStage]) -> dict[str, float]:
    """Return the thresholds that affect predictions for crops: the detector's and the last stage's."""
    before, _ = _crop_stages(stages)
    return {**before[-1].thresholds, **stages[-1].thresholds}


def crop_answer(stages: Sequence[ChainStage], run_input: RunInput) -> Answer:
    """Return the prediction of the last crop stage for all boxes of a picture.

    Each stage crops the objects of the previous stage, aligned by their keypoints. The answer has no raw outputs,
    because the number and position of the crops may differ between runs.

    Args:
        stages: the stages in order.
        run_input: the feeds of all stages, with the picture's file and its placement in the first stage's input.
    """
    before, later = _crop_stages(stages)
    feeds = {**run_input.feeds, **run_input.fixed}
    boxes_in = RunContext(run_input.context.placement, before[-1].thresholds)
    prediction = decode_task(before[-1].task, run_chain([each.link for each in before], feeds), boxes_in)
    assert run_input.context.picture_file is not None
    picture = load_image(run_input.context.picture_file)
    context = run_input.context
    boxes = crop_boxes(before[-1].task, prediction)
    for stage in later:
        prediction, context = _run_on_crops(stage, boxes, picture, feeds, run_input.context)
        boxes = crop_boxes(stage.task, prediction)
    return Answer(stages[-1].task, {}, context, prediction)


def _run_on_crops(
    stage: ChainStage, boxes: Sequence[CropBox], picture: NDArray[np.uint8], feeds: Tensors, context: RunContext
) -> tuple[Sequence[Any], RunContext]:
    """Run a stage on each box; return its predictions, and the context with the placements of the crops."""
    specs = [spec for spec, _ in stage.crop_runs]
    crop_results: list[Any] = []
    placements: list[ImagePlacement] = []
    for box in select_crop_boxes(boxes, specs[0]):
        spec, run = stage.crop_runs[fitting_input(box, specs)]
        cut = [crops_to_tensor(picture, spec, [place_crop(each, spec)]) for each in line_parts(box, spec)]
        runs = [run({**stage_feeds(stage.name, feeds), spec.name: tensor}) for tensor, _ in cut]
        crops = tuple(crop for _, each in cut for crop in each.crops)
        placement = msgspec.structs.replace(cut[0][1], crops=crops)
        outputs = kind_of(stage.task).stack_parts(stage.task, runs)
        crop_results += decode_task(stage.task, outputs, msgspec.structs.replace(context, placement=placement))
        placements.append(placement)
    if not placements:
        return (), context
    crops = tuple(crop for each in placements for crop in each.crops)
    return crop_results, msgspec.structs.replace(context, placement=msgspec.structs.replace(placements[0], crops=crops))
