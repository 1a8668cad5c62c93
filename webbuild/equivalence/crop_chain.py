"""Answers of pipelines whose last stages run on crops of what an earlier stage finds."""

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
    """A stage of a chain: what it is, and what runs it. `thresholds` decide what it finds, by option.

    `widths` are its inputs, and what runs it, for lines that are longer than those of `inputs`.
    """

    name: str
    task: Task
    inputs: Sequence[Input]
    run: RunStage
    thresholds: Mapping[str, float]
    widths: Sequence[tuple[Sequence[Input], RunStage]] = ()

    @property
    def link(self) -> tuple[str, Sequence[Input], RunStage]:
        """The stage as `run_chain` takes it."""
        return self.name, self.inputs, self.run

    @property
    def crop(self) -> CropInput | None:
        """The input that takes crops, None where there is none."""
        return next((each for each in self.inputs if isinstance(each, CropInput)), None)

    @property
    def crop_runs(self) -> list[tuple[CropInput, RunStage]]:
        """The input that takes crops at each width, and what runs it there."""
        return [
            (next(each for each in inputs if isinstance(each, CropInput)), run)
            for inputs, run in ((self.inputs, self.run), *self.widths)
        ]


def crop_stages(stages: Sequence[ChainStage]) -> tuple[Sequence[ChainStage], Sequence[ChainStage]]:
    """Return the stages up to the one that finds the boxes, and those that look at crops of them, one after another."""
    first = next(at for at, each in enumerate(stages) if at and each.crop is not None)
    finder = next(at for at in reversed(range(first)) if kind_of(stages[at].task).has_detections)
    return stages[: finder + 1], stages[first:]


def crop_thresholds(stages: Sequence[ChainStage]) -> dict[str, float]:
    """Return what decides about the answers to crops: the thresholds of the boxes, and those of the last stage."""
    before, _ = crop_stages(stages)
    return {**before[-1].thresholds, **stages[-1].thresholds}


def crop_answer(stages: Sequence[ChainStage], run_input: RunInput) -> Answer:
    """Return what all stages of crops say of the boxes of a picture.

    Each looks at what the one before it says: at its objects, aligned to its keypoints. It has no outputs: how many
    crops there are, and where they lie, is an answer too.

    Args:
        stages: in their order.
        run_input: the feeds of a chain, with the picture's file, and where that lies in the first stage's input.
    """
    before, looking = crop_stages(stages)
    feeds = {**run_input.feeds, **run_input.fixed}
    boxes_in = RunContext(run_input.context.placement, before[-1].thresholds)
    prediction = decode_task(before[-1].task, run_chain([each.link for each in before], feeds), boxes_in)
    assert run_input.context.picture_file is not None
    picture = load_image(run_input.context.picture_file)
    context = run_input.context
    boxes = crop_boxes(before[-1].task, prediction)
    for stage in looking:
        prediction, context = _run_on_crops(stage, boxes, picture, feeds, run_input.context)
        boxes = crop_boxes(stage.task, prediction)
    return Answer(stages[-1].task, {}, context, prediction)


def _run_on_crops(
    stage: ChainStage, boxes: Sequence[CropBox], picture: NDArray[np.uint8], feeds: Tensors, context: RunContext
) -> tuple[Sequence[Any], RunContext]:
    """Return what a stage says of each box, in a run of its own, and where the crops lie."""
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
