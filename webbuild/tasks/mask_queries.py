"""Models whose outputs are masks, known by their outputs and by what lies beside them: Mask2Former, SegFormer, kin."""

from __future__ import annotations

from typing import Literal

import msgspec

from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import ImageInput, Letterbox, PanopticTask
from webbuild.tasks._base import Guess
from webbuild.tasks.export_form import image_input
from webbuild.tasks.metadata import class_names, configured_names
from webbuild.tasks.preprocessor import IMAGENET_MEAN, IMAGENET_STD, normalisation

Mode = Literal["panoptic", "instance", "semantic"]

_PAIRS = (("masks_queries_logits", "class_queries_logits"), ("pred_masks", "pred_logits"))
"""Names of the masks and of the classes: transformers', and those of the networks' own repositories."""
_GRID = [384, 384]
"""What transformers resizes Mask2Former's masks to before anything else, whatever the picture's size."""
_STUFF = {("person", 133): range(80, 133), ("road", 19): range(11)}
"""By the first class and the number of classes: what COCO's panoptic classes and Cityscapes' have besides things."""
_BELIEVED = "pictures are stretched, RGB, scaled to 0..1 and normalised with ImageNet's means, where no option says so"


def guess_queries(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a model of queries, each with a mask and a class; None for any other.

    Names of outputs are believed; where the user asked, shapes are enough.
    """
    image = image_input(facts.inputs[0]) if len(facts.inputs) == 1 else None
    found = _pair(facts.outputs, asked=asked)
    if image is None or found is None:
        return None
    masks, scores = found
    count = int(scores.shape[2] or 0) - 1
    names, named = _names(facts, count)
    mode, moded = _mode(facts)
    fused, fusing = _fused(facts, names)
    kind = facts.companions.config.get("model_type")
    gridded = kind not in ("maskformer", "oneformer", "detr")
    told = "as config.json says" if kind == "mask2former" else "for which it is taken"
    sized = (f"masks are resized to {_GRID[0]} x {_GRID[1]} first, as transformers does for Mask2Former, {told}",)
    task = PanopticTask(
        masks=masks.name, scores=scores.name, classes=names, mode=mode, fused=fused, grid=_GRID if gridded else []
    )
    picture, seen = _pictured(image, facts)
    said = (
        f"task panoptic: masks {list(masks.shape)} and classes {list(scores.shape)} of queries, the last class nothing"
    )
    return Guess(task, (picture,), (said, named, moded, fusing, *(sized if gridded else ()), seen))


def guess_class_maps(facts: ModelFacts, *, asked: bool) -> Guess | None:
    """Return the spec of a model with a map of logits for each class, None for any other.

    Unless the user asked, `config.json` has to say that it is one: most maps are something else.
    """
    image = image_input(facts.inputs[0]) if len(facts.inputs) == 1 else None
    architectures = facts.companions.config.get("architectures")
    known = isinstance(architectures, list) and any(
        isinstance(each, str) and each.endswith("ForSemanticSegmentation") for each in architectures
    )
    maps = next((fact for fact in facts.outputs if len(_whole(fact)) == 4 and _whole(fact)[1] > 1), None)
    if image is None or maps is None or not (known or asked) or min(_whole(maps)[2:]) < 2:
        return None
    names, named = _names(facts, _whole(maps)[1])
    picture, seen = _pictured(image, facts)
    said = f"task panoptic, semantic: output '{maps.name}' {list(maps.shape)} has a map of logits for each class"
    return Guess(PanopticTask(masks=maps.name, classes=names, mode="semantic"), (picture,), (said, named, seen))


def _pair(outputs: tuple[TensorFact, ...], *, asked: bool) -> tuple[TensorFact, TensorFact] | None:
    """Return the masks [1, q, h, w] and the classes [1, q, c + 1]."""
    by_name = {fact.name: fact for fact in outputs}
    pairs = [(by_name[m], by_name[s]) for m, s in _PAIRS if m in by_name and s in by_name]
    if asked:
        pairs += [(masks, scores) for masks in outputs for scores in outputs]
    for masks, scores in pairs:
        match _whole(masks), _whole(scores):
            case (1, queries, height, width), (1, others, classes):
                if queries == others and min(height, width) > 1 and classes > 1:
                    return masks, scores
    return None


def _whole(fact: TensorFact) -> tuple[int, ...]:
    """Return the shape of floats whose sizes are all known, nothing for any other output."""
    sizes = tuple(size for size in fact.shape if isinstance(size, int))
    return sizes if fact.dtype == "float32" and len(sizes) == len(fact.shape) and sizes[:1] == (1,) else ()


def _names(facts: ModelFacts, count: int) -> tuple[list[str], str]:
    for names, source in ((configured_names(facts), "config.json"), (class_names(facts), "the metadata")):
        if len(names) == count:
            return names, f"the names of the {count} class(es) are those in {source}"
    return [f"class {index}" for index in range(count)], f"the {count} class(es) have no names in what was given"


def _mode(facts: ModelFacts) -> tuple[Mode, str]:
    """Return what the model was trained for, as far as its name says, and where that is known from."""
    name = facts.companions.config.get("_name_or_path")
    for told, source in (
        (name if isinstance(name, str) else "", "config.json's name"),
        (facts.file, "the file's name"),
    ):
        modes: tuple[Mode, ...] = ("panoptic", "instance", "semantic")
        for mode in modes:
            if mode in told.lower():
                return mode, f"segmentation is {mode}, as {source} says"
    return "panoptic", "segmentation is panoptic, where neither config.json nor the file's name says otherwise"


def _fused(facts: ModelFacts, names: list[str]) -> tuple[list[int], str]:
    """Return the classes of which there is only one region, and where they are known from."""
    for given, source in (
        (facts.companions.preprocessor, "preprocessor_config.json"),
        (facts.companions.config, "config.json"),
    ):
        told = given.get("label_ids_to_fuse")
        if isinstance(told, list) and all(type(each) is int and 0 <= each < len(names) for each in told):
            return sorted(
                set(told)
            ), f"regions of {len(set(told))} class(es) are fused, as label_ids_to_fuse in {source} says"
    known = _STUFF.get((names[0], len(names)))
    if known is not None:
        return list(known), f"regions of the {len(known)} classes that are no things are fused: the classes are known"
    return [], "no regions are fused: label_ids_to_fuse is nowhere told, and nothing is where transformers is not told"


def _pictured(image: ImageInput, facts: ModelFacts) -> tuple[ImageInput, str]:
    """Return how pictures go in: as is configured beside the model, else as most of these networks want them."""
    told = normalisation(facts.companions.preprocessor)
    if told is None:
        fitted = Letterbox(mode="stretch", resampler="bilinear-antialias")
        return msgspec.structs.replace(image, mean=IMAGENET_MEAN, std=IMAGENET_STD, letterbox=fitted), _BELIEVED
    fitted = Letterbox(mode="stretch", resampler=told.resampler)
    picture = msgspec.structs.replace(image, scale=told.scale, mean=told.mean, std=told.std, letterbox=fitted)
    return picture, told.said
