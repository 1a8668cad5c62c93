"""Families of crop embeddings (faces, people, objects), by input size: how boxes are cropped and normalized."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from webbuild.manifest.manifest import CropInput
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.image import input_size
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization

_ARCFACE_SIZE = 112
_ARCFACE_TEMPLATE = ((38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041))
"""Where the eyes, the nose and the corners of the mouth, left to right, lie in an aligned face of 112 by 112 pixels."""
_TALL = 1.5
"""How many times as high as wide the input of a model of whole people is at least."""


class EmbeddingFamily(Struct, frozen=True):
    """How crops go in, in words and as the input says it."""

    assumption: str
    crop: CropInput


def embedding_family(signature: ModelSignature, crop: CropInput) -> EmbeddingFamily:
    """Return the family of an input: aligned faces, people, else pictures of any object."""
    rows, columns = input_size(crop)
    if rows == columns == _ARCFACE_SIZE:
        numbers = {"scale": 1.0, "mean": [127.5] * 3, "std": [127.5] * 3}
        scaled = msgspec.structs.replace(crop, template=arcface_template(_ARCFACE_SIZE), **numbers)
        return EmbeddingFamily("faces of 112 by 112 pixels, RGB, -1 to 1, as ArcFace takes them", scaled)
    known = read_normalization(signature.hub_files.preprocessor)
    scale, mean, std = (1 / 255, IMAGENET_MEAN, IMAGENET_STD) if known is None else (known.scale, known.mean, known.std)
    how = "ImageNet's mean and deviation" if known is None else "the numbers of preprocessor_config.json"
    tall = rows >= _TALL * columns
    scaled = msgspec.structs.replace(crop, scale=scale, mean=mean, std=std, aspect="stretch" if tall else "keep")
    what = "boxes of people stretched to the input, as re-identification does" if tall else "boxes"
    return EmbeddingFamily(f"{what}, RGB, normalized with {how}", scaled)


def takes_faces(signature: ModelSignature) -> bool:
    """Whether a file is an embedding of such an input: its sizes may be free but for these."""
    sides = [[size for size in each.shape if size == _ARCFACE_SIZE] for each in signature.inputs]
    return [len(each) for each in sides] == [2] and any(len(each.shape) == 2 for each in signature.outputs)


def arcface_template(side: int) -> list[list[float]]:
    """Return the five points in a square input, as InsightFace's `norm_crop` scales them.

    Sides that are multiples of 128 have a sixteenth beside the face on the left and on the right.
    """
    whole = side % _ARCFACE_SIZE == 0 or side % 128
    ratio, beside = (side / _ARCFACE_SIZE, 0.0) if whole else (side / 128, side / 16)
    return [[x * ratio + beside, y * ratio] for x, y in _ARCFACE_TEMPLATE]
