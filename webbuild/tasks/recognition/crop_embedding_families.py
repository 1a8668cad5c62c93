"""Families of crop embeddings (faces, people, objects) by input size: cropping and normalization."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import CropInput
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization

_ARCFACE_SIZE = 112
_ARCFACE_TEMPLATE = ((38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041))
"""Positions of eyes, nose and corners of the mouth, each left to right, in an aligned face of 112 by 112 pixels."""
_TALL = 1.5
"""Minimum height / width of an input for whole people."""


class EmbeddingFamily(Struct, frozen=True):
    """The cropping and normalization, as text and as an input."""

    assumption: str
    crop: CropInput


def embedding_family(signature: ModelSignature, crop: CropInput) -> EmbeddingFamily:
    """Return the family of an input: aligned faces, people, else pictures of any object."""
    rows, columns = input_size(crop)
    if rows == columns == _ARCFACE_SIZE:
        numbers = {"scale": 1.0, "mean": [127.5] * 3, "std": [127.5] * 3}
        scaled = msgspec.structs.replace(crop, template=arcface_template(_ARCFACE_SIZE), **numbers)
        return EmbeddingFamily("faces of 112 by 112 pixels, RGB, -1 to 1, as for ArcFace", scaled)
    known = read_normalization(signature.hub_files.preprocessor)
    scale, mean, std = (1 / 255, IMAGENET_MEAN, IMAGENET_STD) if known is None else (known.scale, known.mean, known.std)
    how = "ImageNet's mean and deviation" if known is None else "the numbers of preprocessor_config.json"
    tall = rows >= _TALL * columns
    scaled = msgspec.structs.replace(crop, scale=scale, mean=mean, std=std, aspect="stretch" if tall else "keep")
    what = "boxes of people stretched to the input, as re-identification does" if tall else "boxes"
    return EmbeddingFamily(f"{what}, RGB, normalized with {how}", scaled)


def takes_faces(signature: ModelSignature) -> bool:
    """Whether a model embeds faces: its input is 112 by 112, its output [n, size]; other sizes may be free."""
    sides = [[size for size in each.shape if size == _ARCFACE_SIZE] for each in signature.inputs]
    return [len(each) for each in sides] == [2] and any(len(each.shape) == 2 for each in signature.outputs)


def arcface_template(side: int) -> list[list[float]]:
    """Return the five points in a square input, as InsightFace's `norm_crop` scales them.

    If the side is a multiple of 128, there is a margin of a sixteenth on the left and on the right of the face.
    """
    whole = side % _ARCFACE_SIZE == 0 or side % 128
    ratio, margin = (side / _ARCFACE_SIZE, 0.0) if whole else (side / 128, side / 16)
    return [[x * ratio + margin, y * ratio] for x, y in _ARCFACE_TEMPLATE]
