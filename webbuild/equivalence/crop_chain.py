"""Stages of which the last looks at crops of what an earlier one finds: what all of them together answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import RunInput, Tensors
from webbuild.manifest.manifest import CropInput, Input, Task
from webbuild.preprocess.crop import boxes_looked_at, place_crop
from webbuild.preprocess.image import load_image
from webbuild.preprocess.picture import crops_to_tensor
from webbuild.runners.chain import RunStage, run_chain, stage_feeds
from webbuild.tasks.crop_boxes import crop_boxes
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext


class ChainStage(Struct, frozen=True):
    """A stage of a chain: what it is, and what runs it. `thresholds` decide what it finds, by option."""

    name: str
    task: Task
    inputs: Sequence[Input]
    run: RunStage
    thresholds: Mapping[str, float]

    @property
    def link(self) -> tuple[str, Sequence[Input], RunStage]:
        """The stage as `run_chain` takes it."""
        return self.name, self.inputs, self.run

    @property
    def crop(self) -> CropInput | None:
        """The input that takes crops, None where there is none."""
        return next((each for each in self.inputs if isinstance(each, CropInput)), None)


def crop_finder(earlier: Sequence[ChainStage]) -> ChainStage:
    """Return the stage whose boxes crops are cut around: the last that finds any."""
    return next(each for each in reversed(earlier) if kind_of(each.task).has_detections)


def crop_thresholds(stages: Sequence[ChainStage]) -> dict[str, float]:
    """Return what decides about the answers to crops: the thresholds of the boxes, and those of the last stage."""
    *earlier, last = stages
    return {**crop_finder(earlier).thresholds, **last.thresholds}


def crop_answer(stages: Sequence[ChainStage], given: RunInput) -> Answer:
    """Return what the last stage finds in the crops around all boxes of a picture.

    It has no outputs: how many crops there are, and where they lie, is an answer too.

    Args:
        stages: in their order.
        given: the feeds of a chain, with the picture's file, and where that lies in the first stage's input.
    """
    *earlier, last = stages
    finder = crop_finder(earlier)
    before = [each.link for each in earlier[: earlier.index(finder) + 1]]
    feeds = {**given.feeds, **given.fixed}
    boxes_in = RunContext(given.context.placement, finder.thresholds)
    found = decode_task(finder.task, run_chain(before, feeds), boxes_in)

    crop, file = last.crop, given.context.picture_file
    assert crop is not None
    assert file is not None
    crops = [place_crop(box, crop) for box in boxes_looked_at(crop_boxes(found), crop)]
    if not crops:
        return Answer(last.task, {}, given.context, ())
    tensor, placement = crops_to_tensor(load_image(file), crop, crops)
    others = stage_feeds(last.name, feeds)
    runs = [last.run({**others, crop.name: tensor[at : at + 1]}) for at in range(len(crops))]
    context = msgspec.structs.replace(given.context, placement=placement)
    return Answer(last.task, {}, context, decode_task(last.task, _joined(runs), context))


def _joined(runs: Sequence[Tensors]) -> Tensors:
    """Return the outputs of runs of a crop each, [1, ...], as those of one run of all, [crops, ...]."""
    return {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
