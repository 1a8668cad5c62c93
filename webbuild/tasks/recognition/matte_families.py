"""Families of matting models: their names, preprocessing and alpha output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from webbuild.model.signature import ModelSignature
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD

_HALF, _ONE, _ZERO = [0.5] * 3, [1.0] * 3, [0.0] * 3


class MatteFamily(Struct, frozen=True):
    """A family of matting models.

    Attributes:
        name: the name of the family.
        pattern: a regular expression for its names, in lower case.
        size: the side of the square pictures that it was trained on.
        mean: the mean, for pictures scaled to 0..1.
        std: the standard deviation, for pictures scaled to 0..1.
        chosen: the output map that is alpha, if there are several.
        min_max: whether its own code rescales each result from its minimum and maximum to 0..1.
    """

    name: str
    pattern: str
    size: int
    mean: list[float]
    std: list[float]
    chosen: Literal["first", "last"] = "first"
    min_max: bool = False


U2NET = MatteFamily("U2-Net", r"u-?_?2-?_?net|silueta", 320, IMAGENET_MEAN, IMAGENET_STD, min_max=True)
ISNET = MatteFamily("IS-Net", r"(?<![a-z])is-?net|ormbg", 1024, _HALF, _ONE, min_max=True)
_FAMILIES = (
    MatteFamily("BiRefNet", r"birefnet|rmbg[-_ ]?v?2", 1024, IMAGENET_MEAN, IMAGENET_STD, "last"),
    MatteFamily("RMBG-1.4", r"rmbg", 1024, _HALF, _ONE, min_max=True),
    MatteFamily("MODNet", r"modnet", 512, _HALF, _HALF, "last"),
    U2NET,
    ISNET,
    MatteFamily(
        "BEN2", r"^ben$|(?<![a-z])ben(-?_?2|_base)(?![a-z0-9])", 1024, IMAGENET_MEAN, IMAGENET_STD, min_max=True
    ),
    MatteFamily("Robust Video Matting", r"(?<![a-z])rvm(?![a-z])|robust[-_ ]?video|mattingnetwork", 512, _ZERO, _ONE),
    MatteFamily("PP-Matting", r"pp-?_?matting", 512, _HALF, _HALF),
)
_ANY_MATTING = re.compile(r"matting|(?<![a-z])matte(?![a-z])|background[-_ ]?remov|rembg")


class NamedFamily(Struct, frozen=True):
    """A family recognized by a name, and the source of that name; without `family` it is another matting model."""

    family: MatteFamily | None
    source: str


def named_family(signature: ModelSignature) -> NamedFamily | None:
    """Return the family by `config.json` or the file's name, None if neither names a matting model."""
    for text, source in _names(signature):
        for family in _FAMILIES:
            if re.search(family.pattern, text):
                return NamedFamily(family, source)
    unknown = (source for text, source in _names(signature) if _ANY_MATTING.search(text))
    return next((NamedFamily(None, source) for source in unknown), None)


def _names(signature: ModelSignature) -> Iterator[tuple[str, str]]:
    """Yield the names of the model in lower case with their sources, most reliable first."""
    config = signature.hub_files.config
    architectures = config.get("architectures")
    configured = [config.get("model_type"), *(architectures if isinstance(architectures, list) else [])]
    for name in (*configured, config.get("_name_or_path")):
        if isinstance(name, str):
            yield name.lower(), f"config.json, which has {name}"
    yield signature.file.lower(), "the file's name"
