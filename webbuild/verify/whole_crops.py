"""Stages that look at crops of what an earlier one finds: what is found in a picture, natively."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.equivalence.answer import Answer
from webbuild.equivalence.compare_runs import RunInput
from webbuild.manifest.manifest import CropInput
from webbuild.manifest.stages import crop_input
from webbuild.preprocess.crop import boxes_looked_at, place_crop
from webbuild.preprocess.image import load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.picture import crops_to_tensor
from webbuild.runners.chain import run_chain, stage_feeds
from webbuild.runners.runner import Tensors
from webbuild.samples.stage_samples import stage_picture
from webbuild.tasks.crop_boxes import crop_boxes
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.verify.reference import thresholds_of
from webbuild.verify.variant_work import VariantWork


def finder_of(earlier: Sequence[VariantWork]) -> VariantWork:
    """Return the stage whose boxes crops are cut around: the last that finds any."""
    return next(each for each in reversed(earlier) if kind_of(each.bundle.manifest.task).has_detections)


def cropped(file: Path, crop: CropInput, found: Answer) -> tuple[NDArray[Any], ImagePlacement]:
    """Return the crop of a picture around the best box that was found in it, and where it lies."""
    return stage_picture(file, crop, crop_boxes(found.detections))


def crop_answer(stages: Sequence[VariantWork], given: RunInput) -> Answer:
    """Return what the last stage finds in the crops around all boxes of a picture.

    It has no outputs: how many crops there are, and where they lie, is an answer too.
    """
    *earlier, last = stages
    finder = finder_of(earlier)
    before = earlier[: earlier.index(finder) + 1]
    feeds = {**given.feeds, **given.fixed}
    chain = [(each.bundle.stage, each.bundle.manifest.inputs, each.runner.run) for each in before]
    boxes_in = msgspec.structs.replace(thresholds_of(finder.bundle.manifest), placement=given.context.placement)
    found = decode_task(finder.bundle.manifest.task, run_chain(chain, feeds), boxes_in)

    crop, task, file = crop_input(last.bundle.manifest), last.bundle.manifest.task, given.context.picture_file
    assert crop is not None
    assert file is not None
    crops = [place_crop(box, crop) for box in boxes_looked_at(crop_boxes(found), crop)]
    if not crops:
        return Answer(task, {}, given.context, ())
    tensor, placement = crops_to_tensor(load_image(file), crop, crops)
    others = stage_feeds(last.bundle.stage, feeds)
    runs = [last.runner.run({**others, crop.name: tensor[at : at + 1]}) for at in range(len(crops))]
    context = msgspec.structs.replace(given.context, placement=placement)
    return Answer(task, {}, context, decode_task(task, _joined(runs), context))


def _joined(runs: Sequence[Tensors]) -> Tensors:
    """Return the outputs of runs of a crop each, [1, ...], as those of one run of all, [crops, ...]."""
    return {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
