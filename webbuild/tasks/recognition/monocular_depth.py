"""Recognize monocular depth models: MiDaS, Depth Anything and similar."""

from __future__ import annotations

import msgspec

from webbuild.manifest.manifest import ImageInput, Letterbox
from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.depth_units import (
    depth_model_type,
    depth_task,
    find_depth_outputs,
    is_depth_name,
    monocular_units,
)
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.recognition.image_input import may_be_map, only_image_input
from webbuild.tasks.recognition.ultralytics_export import ultralytics_preprocessing
from webbuild.tasks.task_match import TaskMatch

_DEFAULT_PREPROCESSING = (
    "pictures are stretched, RGB, scaled to 0..1 and normalized with ImageNet's mean and deviation, unless an option "
    "says otherwise"
)


def infer_monocular_depth(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a model that computes a depth map from one picture, None for other models.

    Unless requested, an output's name, the configuration next to the model or the metadata must indicate depth.
    """
    image = only_image_input(signature)
    depth, confidence = find_depth_outputs(signature.outputs)
    if image is None or depth is None:
        return None
    ultralytics = signature.metadata.get("task") == "depth"
    known = ultralytics or is_depth_name(depth) or depth_model_type(signature)
    if not known and not (requested and may_be_map(depth, image)):
        return None
    meaning = monocular_units(signature, depth)
    if ultralytics:
        picture = msgspec.structs.replace(image, letterbox=Letterbox(mode="stretch"))
        picture_note = ultralytics_preprocessing(picture)
    else:
        picture, picture_note = _image_preprocessing(image, signature)
    guessed = picture_note if picture_note == _DEFAULT_PREPROCESSING else ""
    task = depth_task(depth, confidence, meaning)
    return TaskMatch(task, (picture,), (meaning.source, picture_note), guessed_recipe=guessed)


def _image_preprocessing(image: ImageInput, signature: ModelSignature) -> tuple[ImageInput, str]:
    """Return the preprocessing: from the configuration next to the model, else the default of these models."""
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is None:
        known = msgspec.structs.replace(
            image, mean=IMAGENET_MEAN, std=IMAGENET_STD, letterbox=Letterbox(mode="stretch")
        )
        return known, _DEFAULT_PREPROCESSING
    letterbox = Letterbox(mode="stretch", interpolation=normalization.interpolation)
    known = msgspec.structs.replace(
        image, scale=normalization.scale, mean=normalization.mean, std=normalization.std, letterbox=letterbox
    )
    return known, normalization.source
