"""Families of image encoders: the preprocessing, and the pooling of tokens into one embedding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from webbuild.manifest.manifest import ImageInput, Interpolation, Letterbox
from webbuild.manifest.tasks.embed import Pooling
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.recognition.depth_units import finite_number, read_numbers
from webbuild.tasks.recognition.hub_preprocessor import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    Normalization,
    pillow_interpolation,
    read_normalization,
)

_CLIP_MEAN, _CLIP_STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
_OPEN_CLIP_RESIZE: dict[str, Literal["crop", "stretch"]] = {"shortest": "crop", "squash": "stretch"}
_TIMM_INTERPOLATION: dict[str, Interpolation] = {"bilinear": "bilinear-antialias", "nearest": "nearest"}


class EmbedFamily(Struct, frozen=True):
    """A family, recognized by `model_type` in config.json, else by the file's name, and its preprocessing."""

    name: str
    model_type: re.Pattern[str]
    file: re.Pattern[str]
    mean: list[float]
    std: list[float]
    mode: Literal["crop", "stretch"] = "crop"
    interpolation: Interpolation = "bicubic"
    pooling: Pooling = "mean"


def _family(name: str, model_type: str, file: str, mean: list[float], std: list[float], **more: Any) -> EmbedFamily:
    words = re.compile(rf"(^|[^a-z])({file})", re.IGNORECASE)
    return EmbedFamily(name, re.compile(model_type), words, mean, std, **more)


_FAMILIES = (
    _family("MobileCLIP", r"mobileclip\w*", "mobileclip", [0.0] * 3, [1.0] * 3, interpolation="bilinear-antialias"),
    _family("SigLIP", r"siglip2?(_(vision|text)_model)?", "siglip", [0.5] * 3, [0.5] * 3, mode="stretch"),
    _family("CLIP", r"(chinese_)?clip(_(vision|text)_model)?", "(open)?clip(?![a-z])", _CLIP_MEAN, _CLIP_STD),
    _family("DINO", r"dino(v\d)?(_\w+)?", "dino", IMAGENET_MEAN, IMAGENET_STD, pooling="cls"),
)


def embed_family(signature: ModelSignature) -> EmbedFamily | None:
    """Return the family of a model, None if it is unknown.

    Among open_clip's configurations, only SigLIP's have `init_logit_bias`.
    """
    kind = signature.hub_files.config.get("model_type")
    if isinstance(kind, str):
        return next((each for each in _FAMILIES if each.model_type.fullmatch(kind)), None)
    open_clip = signature.hub_files.config.get("model_cfg")
    if isinstance(open_clip, Mapping) and "init_logit_bias" in open_clip:
        return next(each for each in _FAMILIES if each.name == "SigLIP")
    return next((each for each in _FAMILIES if each.file.search(signature.file)), None)


def is_headless(signature: ModelSignature) -> bool:
    """Whether timm's config.json next to the model says that it has no classifier."""
    return isinstance(signature.hub_files.config.get("pretrained_cfg"), Mapping) and (
        signature.hub_files.config.get("num_classes") == 0
    )


def embed_picture(
    image: ImageInput, signature: ModelSignature, family: EmbedFamily | None
) -> tuple[ImageInput, str, bool]:
    """Return the preprocessing, its description, and whether it is a guess.

    It comes from preprocessor_config.json, timm's or open_clip's configuration, else from the family, else it uses
    ImageNet's mean and std.
    """
    if (configured := configured_picture(image, signature)) is not None:
        picture, source = configured
        return picture, _describe(picture, source), False
    chosen = family or EmbedFamily("", re.compile(""), re.compile(""), IMAGENET_MEAN, IMAGENET_STD)
    numbers = Normalization(1 / 255, chosen.mean, chosen.std, chosen.interpolation, "")
    picture = _with_numbers(image, numbers, chosen.mode, 0)
    source = f"as for {family.name}" if family else "with ImageNet's numbers, unless an option says otherwise"
    return picture, _describe(picture, source), family is None


def configured_picture(image: ImageInput, signature: ModelSignature) -> tuple[ImageInput, str] | None:
    """Return the preprocessing in transformers', timm's or open_clip's configuration, and its source; else None."""
    hub, config = signature.hub_files.preprocessor, signature.hub_files.config
    timm, open_clip = config.get("pretrained_cfg"), config.get("preprocess_cfg")
    known = read_normalization(hub)
    if known is not None:
        return _with_numbers(image, known, *_hub_resize(hub)), "as preprocessor_config.json says"
    if isinstance(timm, Mapping):
        known, edge = _timm_preprocessing(timm, image)
        return _with_numbers(image, known, "crop", edge), "as timm's config.json says"
    if isinstance(open_clip, Mapping) and (
        mode := _OPEN_CLIP_RESIZE.get(str(open_clip.get("resize_mode", "shortest")))
    ):
        known, _ = _timm_preprocessing({"mean": _CLIP_MEAN, "std": _CLIP_STD, **open_clip}, image)
        return _with_numbers(image, known, mode, 0), "as open_clip_config.json says"
    return None


def _describe(picture: ImageInput, source: str) -> str:
    return f"pictures are preprocessed {source}: {describe_recipe(picture)}"


def _with_numbers(image: ImageInput, known: Normalization, mode: Literal["crop", "stretch"], edge: int) -> ImageInput:
    rows, columns = input_size(image)
    larger: int | UnsetType = edge if mode == "crop" and rows == columns < edge else UNSET
    letterbox = Letterbox(mode=mode, interpolation=known.interpolation, edge=larger)
    return msgspec.structs.replace(image, scale=known.scale, mean=known.mean, std=known.std, letterbox=letterbox)


def _hub_resize(config: Mapping[str, Any]) -> tuple[Literal["crop", "stretch"], int]:
    """Return the resize mode, and the shorter side in pixels before the crop, 0 if unknown."""
    size = config.get("size")
    if not config.get("do_center_crop", "crop_size" in config):
        return ("crop" if isinstance(size, Mapping) and "shortest_edge" in size else "stretch"), 0
    edge = size.get("shortest_edge") if isinstance(size, Mapping) else size
    return "crop", edge if isinstance(edge, int) else 0


def _timm_preprocessing(config: Mapping[str, Any], image: ImageInput) -> tuple[Normalization, int]:
    mean, std = read_numbers(config, "mean"), read_numbers(config, "std")
    how = config.get("interpolation")
    known = Normalization(
        scale=1 / 255,
        mean=mean if len(mean) == 3 else IMAGENET_MEAN,
        std=std if len(std) == 3 and all(std) else IMAGENET_STD,
        interpolation=_TIMM_INTERPOLATION.get(str(how), pillow_interpolation(3, "bicubic")),
        source="",
    )
    part = finite_number(config.get("crop_pct")) or 1.0
    return known, int(input_size(image)[0] / part) if 0 < part <= 1 else 0
