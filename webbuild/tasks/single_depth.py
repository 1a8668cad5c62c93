"""Depth from one picture: MiDaS, Depth Anything and their kin."""

from __future__ import annotations

import msgspec

from webbuild.facts import ModelFacts
from webbuild.manifest import ImageInput, Letterbox
from webbuild.tasks._base import Guess
from webbuild.tasks.depth_words import depth_type, find_maps, named_depth, single_meaning, task_of
from webbuild.tasks.export_form import image_input
from webbuild.tasks.preprocessor import IMAGENET_MEAN, IMAGENET_STD, normalisation

_BELIEVED = "pictures are stretched, RGB, scaled to 0..1 and normalised with ImageNet's means, where no option says so"


def guess_single(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a model that makes one map of one picture, None for any other.

    Unless the user asked, an output's name or the configuration beside the model has to say that it is depth.
    """
    image = image_input(facts.inputs[0]) if len(facts.inputs) == 1 else None
    depth, confidence = find_maps(facts.outputs)
    if image is None or depth is None:
        return None
    if not asked and not named_depth(depth) and not depth_type(facts):
        return None
    meaning = single_meaning(facts, depth)
    picture, said = _pictured(image, facts)
    return Guess(task_of(depth, confidence, meaning), (picture,), (meaning.said, said))


def _pictured(image: ImageInput, facts: ModelFacts) -> tuple[ImageInput, str]:
    """Return how pictures go in: as is configured beside the model, else as most of these networks want them."""
    told = normalisation(facts.companions.preprocessor)
    if told is None:
        known = msgspec.structs.replace(
            image, mean=IMAGENET_MEAN, std=IMAGENET_STD, letterbox=Letterbox(mode="stretch")
        )
        return known, _BELIEVED
    letterbox = Letterbox(mode="stretch", resampler=told.resampler)
    known = msgspec.structs.replace(image, scale=told.scale, mean=told.mean, std=told.std, letterbox=letterbox)
    return known, told.said
