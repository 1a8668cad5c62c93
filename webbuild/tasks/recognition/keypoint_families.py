"""Recognize models that find keypoints in a crop: SimCC (RTMPose), heat maps (ViTPose, HRNet), regression."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, HeatmapHead, KeypointsTask, RegressionHead, SimccHead
from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.recognition.image_input import only_image_input
from webbuild.tasks.recognition.keypoint_outputs import FoundHead, Head, find_head
from webbuild.tasks.recognition.keypoint_sets import keypoint_set
from webbuild.tasks.recognition.metadata import hub_class_names
from webbuild.tasks.task_match import TaskMatch

_UNMEASURED = "coordinates are assumed to be normalized to the crop, 0 to 1"


def infer_keypoints(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model that finds keypoints in a crop, None for other models.

    Unless requested by `--task keypoints`, names of outputs, of the file, or in `config.json` must indicate it.
    """
    crop = _crop_input(signature)
    head = None if crop is None else find_head(signature, crop)
    if crop is None or head is None or not (head.sure or requested):
        return None
    crop, recipe = _preprocessing(crop, signature, head)
    known = keypoint_set(head.count)
    names = hub_class_names(signature)
    keypoints = known.keypoints
    if len(names) == head.count:
        keypoints = [msgspec.structs.replace(each, name=name) for each, name in zip(keypoints, names, strict=True)]
    task = KeypointsTask(head=head.head, classes=[known.subject], keypoints=keypoints, skeleton=known.skeleton)
    named = f", assumed to be {known.source}" if known.source else ", numbered"
    padded = f"boxes are enlarged by {crop.padding:g} and to the input's aspect ratio"
    assumptions = [f"task keypoints: {head.assumption}; {head.count} keypoints{named}", padded, recipe]
    unmeasured = isinstance(head.head, RegressionHead) and head.family is None
    if unmeasured:
        assumptions.append(_UNMEASURED)
    measured = _head_output(head.head) if unmeasured else ""
    return TaskMatch(task, (crop,), tuple(assumptions), guessed_recipe=recipe, measured_output=measured)


def infer_keypoint_maps(signature: ModelSignature) -> TaskMatch | None:
    """Return the match of a model with outputs shaped like SimCC vectors or heat maps, regardless of their names."""
    crop = _crop_input(signature)
    head = None if crop is None else find_head(signature, crop)
    regression = head is None or isinstance(head.head, RegressionHead)
    return None if regression else infer_keypoints(signature, requested=True)


def with_measured_range(match: TaskMatch, values: NDArray[Any]) -> TaskMatch:
    """Return the match with the coordinate range measured on photographs: 0 to 1, -1 to 1, or pixels."""
    assert isinstance(match.task, KeypointsTask)
    assert isinstance(match.task.head, RegressionHead)
    columns = len(match.task.head.columns)
    coordinates = np.asarray(values, np.float64).reshape(-1, columns)[:, :2]
    least, most = float(coordinates.min()), float(coordinates.max())
    span: Literal["unit", "signed", "pixels"] = "unit"
    if most > 3:
        span, meaning = "pixels", "coordinates are pixels of the crop"
    elif np.mean(coordinates < -0.1) > 0.1:
        span, meaning = "signed", "coordinates go from -1 to 1 over the crop"
    else:
        meaning = "coordinates go from 0 to 1 over the crop"
    assumption = f"{meaning}: {least:.3g} to {most:.3g} on two photographs"
    head = msgspec.structs.replace(match.task.head, range=span)
    sentences = tuple(assumption if each == _UNMEASURED else each for each in match.assumptions)
    return msgspec.structs.replace(match, task=msgspec.structs.replace(match.task, head=head), assumptions=sentences)


def _head_output(head: Head) -> str:
    """Return the name of the head's first output."""
    return head.x if isinstance(head, SimccHead) else head.output


def _crop_input(signature: ModelSignature) -> CropInput | None:
    image = only_image_input(signature, "nchw", "nhwc")
    if image is None:
        return None
    return CropInput(
        name=image.name, dtype=image.dtype, shape=image.shape, layout=image.layout,
        scale=1 / 255, mean=IMAGENET_MEAN, std=IMAGENET_STD,
    )  # fmt: skip


def _preprocessing(crop: CropInput, signature: ModelSignature, head: FoundHead) -> tuple[CropInput, str]:
    """Return the preprocessing of crops: from the configuration next to the model, else the family's."""
    if isinstance(head.head, HeatmapHead) and head.head.unbiased:
        crop = msgspec.structs.replace(crop, unbiased=True)
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is not None:
        known = {name: getattr(normalization, name) for name in ("scale", "mean", "std")}
        return msgspec.structs.replace(
            crop, **known
        ), "crops are scaled and normalized as preprocessor_config.json says"
    if head.family is not None:
        return head.family.apply(crop), f"crops are preprocessed as for {head.family.name}"
    if isinstance(head.head, RegressionHead):
        plain = msgspec.structs.replace(crop, mean=[0.0] * 3, std=[1.0] * 3)
        return plain, "crops are RGB, scaled to 0..1, unless an option says otherwise"
    return crop, "crops are RGB, scaled to 0..1 and normalized with ImageNet's mean and deviation, as mmpose does"
