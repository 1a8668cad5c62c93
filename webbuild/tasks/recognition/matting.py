"""Recognize matting models, which output the foreground's alpha at each pixel."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Letterbox, MatteTask
from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.recognition.image_input import may_be_map, only_image_input
from webbuild.tasks.recognition.matte_families import MatteFamily, NamedFamily, named_family
from webbuild.tasks.recognition.matte_outputs import (
    AlphaMap,
    alpha_maps,
    choose_alpha,
    find_foreground,
    is_alpha_name,
    side_output_family,
)
from webbuild.tasks.task_match import TaskMatch

_DEFAULT_PREPROCESSING = (
    "pictures are stretched, RGB, scaled to 0..1 and normalized with ImageNet's mean and deviation, unless an option "
    "says otherwise"
)
_UNMEASURED = "its values are assumed to be alpha"


def infer_matting(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of a matting model, None for other models.

    Unless requested by `--task matte`, a name must indicate it: an output's, the file's, or one in `config.json`. A map
    after a sigmoid may mean anything. Only a U2-Net, which returns one map per stage, is recognized without a name.
    """
    image = only_image_input(signature, "nchw", "nhwc")
    maps = alpha_maps(signature.outputs)
    named, by_stages = named_family(signature), side_output_family(maps)
    known = named is not None or by_stages is not None or any(is_alpha_name(each.spec) for each in maps)
    family = by_stages if named is None or named.family is None else named.family
    chosen = choose_alpha(maps, family)
    if image is None or chosen is None:
        return None
    alpha, why = chosen
    if not known and not (requested and may_be_map(alpha.spec, image)):
        return None
    task, meaning = _matte_task(alpha, family)
    front = find_foreground(signature.outputs, alpha)
    picture, recipe = _image_preprocessing(image, signature, family)
    assumptions = [f"task matte: alpha is output '{alpha.spec.name}' {list(alpha.spec.shape)}, {why}"]
    if family is not None:
        assumptions.append(f"it is recognized as {family.name} by {_family_source(named, by_stages)}")
    if front is not None:
        assumptions.append(f"output '{front.name}' has the colours of the foreground")
    return TaskMatch(
        msgspec.structs.replace(task, foreground=None if front is None else front.name),
        (picture,),
        (*assumptions, *meaning, recipe),
        guessed_recipe=recipe if recipe == _DEFAULT_PREPROCESSING else "",
        measured_output=alpha.spec.name if _UNMEASURED in meaning else "",
    )


def with_measured_range(match: TaskMatch, alpha: NDArray[Any]) -> TaskMatch:
    """Return the match with the value range measured on photographs: alpha, levels of 0 to 255, or logits.

    Alpha may be slightly outside 0..1, because of cubic upsampling or rounding. Only values far outside, or many values
    outside, indicate logits.
    """
    assert isinstance(match.task, MatteTask)
    least, most = float(alpha.min()), float(alpha.max())
    seen = f"{least:.3g} to {most:.3g} on two photographs"
    task = match.task
    if least >= -_SLACK and most <= 1 + _SLACK:
        assumption = f"its values are probabilities: {seen}"
    elif least >= -1 and _LEVELS / 4 < most <= _LEVELS + 1:
        task = msgspec.structs.replace(task, high=_LEVELS)
        assumption = f"its values are levels of 0 to 255: {seen}"
    elif least < -1 or most > 2 or np.mean((alpha < -_OVERSHOOT) | (alpha > 1 + _OVERSHOOT)) > _MANY:
        task = msgspec.structs.replace(task, activation="sigmoid")
        assumption = f"its values are logits, which go through a sigmoid: {seen}"
    else:
        assumption = (
            f"its values are assumed to be alpha and clipped to 0..1, a guess: {seen}, which is too close for logits"
        )
    assumptions = tuple(assumption if each == _UNMEASURED else each for each in match.assumptions)
    return msgspec.structs.replace(match, task=task, assumptions=assumptions)


_SLACK = 1e-3
_OVERSHOOT = 0.1
"""Alpha may be outside 0..1 by this much, because of cubic overshoot, without indicating logits."""
_MANY = 0.1
"""Share of values outside that range above which the values are logits."""
_LEVELS = 255.0


def _matte_task(alpha: AlphaMap, family: MatteFamily | None) -> tuple[MatteTask, tuple[str, ...]]:
    """Return the task, and the assumptions about its values."""
    ending, channels = alpha.spec.activation, alpha.channels
    task = MatteTask(output=alpha.spec.name, layout=alpha.layout, channel=max(0, channels - 1))
    assumptions = [f"its values are probabilities: the graph ends in {ending}"] if ending else [_UNMEASURED]
    if channels == 2 and not ending:
        task = msgspec.structs.replace(task, activation="softmax")
        assumptions = ["its two channels are logits of background and foreground, which go through a softmax"]
    if channels == 4:
        assumptions.append("the fourth of its channels, RGBA, is alpha")
    if family is not None and family.min_max:
        task = msgspec.structs.replace(task, min_max=True)
        assumptions.append(
            f"a picture's minimum becomes transparent, its maximum opaque, as in {family.name}'s own code"
        )
    return task, tuple(assumptions)


def _family_source(named: NamedFamily | None, by_stages: MatteFamily | None) -> str:
    if named is not None and named.family is not None:
        return named.source
    return "" if by_stages is None else "its outputs, one map per stage after a sigmoid"


def _image_preprocessing(
    image: ImageInput, signature: ModelSignature, family: MatteFamily | None
) -> tuple[ImageInput, str]:
    """Return the preprocessing: from the configuration next to the model, else the family's."""
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is not None:
        letterbox = Letterbox(mode="stretch", interpolation=normalization.interpolation)
        known = msgspec.structs.replace(
            image, scale=normalization.scale, mean=normalization.mean, std=normalization.std, letterbox=letterbox
        )
        return known, normalization.source
    stretched = Letterbox(mode="stretch", interpolation="bilinear-antialias")
    if family is None:
        known = msgspec.structs.replace(image, mean=IMAGENET_MEAN, std=IMAGENET_STD, letterbox=stretched)
        return known, _DEFAULT_PREPROCESSING
    known = msgspec.structs.replace(image, mean=family.mean, std=family.std, letterbox=stretched)
    mean, std = (", ".join(f"{each:g}" for each in values) for values in (family.mean, family.std))
    assumption = f"pictures are stretched, RGB, scaled to 0..1, mean {mean}, deviation {std}, as for {family.name}"
    return known, assumption
