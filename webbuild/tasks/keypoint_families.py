"""Recognition of models that find the keypoints in a crop: SimCC (RTMPose), heat maps (ViTPose, HRNet), regression."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, HeatmapHead, KeypointsTask, RegressionHead, SimccHead
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.keypoint_sets import keypoint_set
from webbuild.tasks.landmark_families import LandmarkFamily, landmark_family
from webbuild.tasks.metadata import hub_class_names
from webbuild.tasks.ultralytics_export import fixed_image_input

Head = SimccHead | HeatmapHead | RegressionHead

_SPLIT_RATIOS = (2.0, 3.0, 1.0, 4.0)
"""Usual first. SimCC's vectors are this many times as long as the sides of the input."""
_POSE_FILE = re.compile(r"vit-?pose|hr-?net|simple-?baseline|pose-?resnet|td-?hm|top-?down", re.IGNORECASE)
_BODY_KEYPOINTS = (14, 16, 17, 26, 133)
"""Keypoints of people; an HRNet that segments has maps too, one for each class."""
_VITPOSE = re.compile(r"vit-?pose", re.IGNORECASE)
_STRIDES = (4, 2, 8)
"""How many pixels of the input a cell of a heat map may be wide."""
_UNMEASURED = "coordinates are taken for parts of the crop, 0 to 1"


class FoundHead(Struct, frozen=True):
    """A head, how many keypoints it has, and what it is taken for. `sure` says that names tell it, not shapes alone."""

    head: Head
    count: int
    said: str
    sure: bool
    family: LandmarkFamily | None = None


def infer_keypoints(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the spec of a model that finds keypoints in a crop, None for any other.

    Unless the user gave `--task keypoints`, names of outputs, of the file, or in `config.json` have to show it.
    """
    crop = _crop_input(signature)
    found = None if crop is None else _find_head(signature, crop)
    if crop is None or found is None or not (found.sure or requested):
        return None
    crop, recipe = _preprocessing(crop, signature, found)
    known = keypoint_set(found.count)
    names = hub_class_names(signature)
    keypoints = known.keypoints
    if len(names) == found.count:
        keypoints = [msgspec.structs.replace(each, name=name) for each, name in zip(keypoints, names, strict=True)]
    task = KeypointsTask(head=found.head, classes=[known.subject], keypoints=keypoints, skeleton=known.skeleton)
    named = f", taken for {known.source}" if known.source else ", numbered"
    padded = f"boxes are enlarged by {crop.padding:g} and to the input's aspect ratio"
    said = [f"task keypoints: {found.said}; {found.count} keypoints{named}", padded, recipe]
    unmeasured = isinstance(found.head, RegressionHead) and found.family is None
    if unmeasured:
        said.append(_UNMEASURED)
    measured = head_output(found.head) if unmeasured else ""
    return TaskMatch(task, (crop,), tuple(said), guessed_recipe="", measured_output=measured)


def with_measured_range(match: TaskMatch, values: NDArray[Any]) -> TaskMatch:
    """Return the match with what the finite values of its numbers on photographs say: parts, -1 to 1, or pixels."""
    assert isinstance(match.task, KeypointsTask)
    assert isinstance(match.task.head, RegressionHead)
    columns = len(match.task.head.columns)
    places = np.asarray(values, np.float64).reshape(-1, columns)[:, :2]
    least, most = float(places.min()), float(places.max())
    span: Literal["unit", "signed", "pixels"] = "unit"
    if most > 3:
        span, said = "pixels", "coordinates are pixels of the crop"
    elif np.mean(places < -0.1) > 0.1:
        span, said = "signed", "coordinates go from -1 to 1 over the crop"
    else:
        said = "coordinates go from 0 to 1 over the crop"
    told = f"{said}: {least:.3g} to {most:.3g} on two photographs"
    head = msgspec.structs.replace(match.task.head, range=span)
    sentences = tuple(told if each == _UNMEASURED else each for each in match.assumptions)
    return msgspec.structs.replace(match, task=msgspec.structs.replace(match.task, head=head), assumptions=sentences)


def head_output(head: Head) -> str:
    """Return the output, of several the first."""
    return head.x if isinstance(head, SimccHead) else head.output


def _crop_input(signature: ModelSignature) -> CropInput | None:
    if len(signature.inputs) != 1:
        return None
    image = fixed_image_input(signature.inputs[0]) or fixed_image_input(signature.inputs[0], "nhwc")
    if image is None:
        return None
    return CropInput(
        name=image.name, shape=image.shape, layout=image.layout, scale=1 / 255, mean=IMAGENET_MEAN, std=IMAGENET_STD
    )


def _find_head(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    family = landmark_family(signature.file)
    return _find_simcc(signature, crop) or _find_heatmap(signature, crop) or _find_regression(signature, family)


def _find_simcc(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    """Two outputs [1, keypoints, width * ratio] and [1, keypoints, height * ratio]."""
    height, width = input_size(crop)
    shaped = [each for each in signature.outputs if len(each.shape) == 3 and each.dtype == "float32"]
    for ratio in _SPLIT_RATIOS:
        for x in shaped:
            for y in (each for each in shaped if each is not x):
                lengths = (x.shape[-1], y.shape[-1])
                if lengths == (width * ratio, height * ratio) and x.shape[:2] == y.shape[:2] and x.shape[0] == 1:
                    if width == height and "y" in x.name.lower() and "x" in y.name.lower().replace("max", ""):
                        continue
                    said = (
                        f"outputs '{x.name}' and '{y.name}' are SimCC vectors, {ratio:g} places a pixel, as of RTMPose"
                    )
                    sure = "simcc" in f"{x.name} {y.name}".lower() or "rtmpose" in signature.file.lower()
                    return FoundHead(SimccHead(x=x.name, y=y.name, split_ratio=ratio), int(x.shape[1] or 0), said, sure)
    return None


def _find_heatmap(signature: ModelSignature, crop: CropInput) -> FoundHead | None:
    """An output [1, keypoints, height / stride, width / stride]."""
    height, width = input_size(crop)
    sizes = [(height // stride, width // stride) for stride in _STRIDES]
    maps = [each for each in signature.outputs if len(each.shape) == 4 and each.shape[2:] in sizes and _counted(each)]
    if len(maps) != 1:
        return None
    output = maps[0]
    kind = signature.hub_files.config.get("model_type")
    vitpose = kind == "vitpose" or _VITPOSE.search(signature.file) is not None or _is_vitpose(signature, output)
    counted = output.shape[1] in _BODY_KEYPOINTS and _POSE_FILE.search(signature.file) is not None
    named = "heatmap" in output.name.lower() or counted
    head = (
        HeatmapHead(output=output.name, refine="udp", unbiased=True)
        if vitpose
        else HeatmapHead(output=output.name, refine="shift")
    )
    how = "UDP, refined as transformers does for ViTPose" if vitpose else "refined by a quarter of a cell"
    said = f"output '{output.name}' {list(output.shape)} holds a heat map for each keypoint, {how}"
    return FoundHead(head, int(output.shape[1] or 0), said, vitpose or named)


def _counted(output: TensorSpec) -> bool:
    return (
        output.dtype == "float32" and output.shape[0] == 1 and isinstance(output.shape[1], int) and output.shape[1] > 1
    )


def _is_vitpose(signature: ModelSignature, output: TensorSpec) -> bool:
    """Whether input and output are called what transformers' ViTPose calls them."""
    return (signature.inputs[0].name, output.name) == ("pixel_values", "heatmaps")


def _find_regression(signature: ModelSignature, family: LandmarkFamily | None) -> FoundHead | None:
    """An output of as many numbers as keypoints have coordinates, the rest ones: [1, 212], [1, 1, 1, 1404]."""
    for output in signature.outputs:
        sizes = [size for size in output.shape if size != 1]
        if output.dtype != "float32" or not all(isinstance(size, int) for size in sizes) or not 1 <= len(sizes) <= 2:
            continue
        columns, count = _columns(sizes, family)
        if count < 2:
            continue
        span = family.range if family is not None else "unit"
        head = RegressionHead(output=output.name, columns=columns, range=span)
        said = f"output '{output.name}' {list(output.shape)} holds {', '.join(columns)} of each keypoint"
        taken = said if family is None else f"{said}, as of {family.name}"
        return FoundHead(head, count, taken, family is not None, family)
    return None


def _columns(sizes: list[Any], family: LandmarkFamily | None) -> tuple[Literal["xy", "xyz", "xyc"], int]:
    total = int(np.prod(sizes))
    if family is not None:
        return family.columns, total // len(family.columns) if total % len(family.columns) == 0 else 0
    if len(sizes) == 2:
        return ("xyz" if sizes[1] == 3 else "xy"), int(sizes[0]) if sizes[1] in (2, 3) else 0
    if total in (468 * 3, 478 * 3):
        return "xyz", total // 3
    return "xy", total // 2 if total % 2 == 0 else 0


def _preprocessing(crop: CropInput, signature: ModelSignature, found: FoundHead) -> tuple[CropInput, str]:
    """Return how crops go in: as is configured beside the model, else as its family takes them."""
    if isinstance(found.head, HeatmapHead) and found.head.unbiased:
        crop = msgspec.structs.replace(crop, unbiased=True)
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is not None:
        known = {name: getattr(normalization, name) for name in ("scale", "mean", "std")}
        return msgspec.structs.replace(
            crop, **known
        ), "crops are scaled and normalised as preprocessor_config.json says"
    if found.family is not None:
        return found.family.apply(crop), f"crops go in as {found.family.name} takes them"
    if isinstance(found.head, RegressionHead):
        plain = msgspec.structs.replace(crop, mean=[0.0] * 3, std=[1.0] * 3)
        return plain, "crops are RGB, scaled to 0..1, unless an option says otherwise"
    return crop, "crops are RGB, scaled to 0..1 and normalised with ImageNet's mean and deviation, as mmpose does"
