"""Families of anchor detectors with separate outputs for scores and boxes: box coding and preprocessing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from webbuild.manifest.manifest import Letterbox
from webbuild.postprocess.anchors import AnchorLevel
from webbuild.preprocess.recipe import Recipe

Coding = Literal["linear", "exponential", "distances", "distribution"]
Grid = tuple[tuple[int, tuple[float, ...]], ...]
"""Per stride, the sizes of the anchors in each cell."""


class AnchorFamily(Struct, frozen=True, kw_only=True):
    """Detectors with the same form of outputs. See `AnchorPostprocess` for `coding`, `offset` and `variances`.

    Attributes:
        name: the name of the family.
        label: the only class of the detector; empty for several classes.
        grids: the alternative anchor grids of its models.
        scores: scores per anchor: 2 if the first is the background's, 0 for any number of classes.
        objectness: whether there is a second score.
        box: numbers per box.
        keypoints: keypoint coordinates per anchor; an export may omit a separate output for them.
        joined: the parts in the same output: boxes and keypoints (`keypoints`), or scores and boxes (`scores`).
        decodable: whether some exports contain the decoding of boxes.
        recipe: the preprocessing.
    """

    name: str
    label: str = ""
    grids: tuple[Grid, ...]
    coding: Coding
    offset: float = 0.0
    variances: tuple[float, float] = (1.0, 1.0)
    scores: int = 1
    objectness: bool = False
    box: int = 4
    keypoints: int = 0
    joined: Literal["", "keypoints", "scores"] = ""
    decodable: bool = False
    recipe: Recipe


_CORNER = Letterbox(anchor="top-left", pad=0)
_CENTRE = Letterbox(pad=0)
_STRETCH = Letterbox(mode="stretch")
_BYTES_BGR = Recipe(color="bgr", scale=1.0, letterbox=_CORNER)
_SIGNED = Recipe(scale=1 / 127.5, mean=(1.0,) * 3, letterbox=_CENTRE)
_NANODET = Recipe(
    color="bgr", scale=1.0, mean=(103.53, 116.28, 123.675), std=(57.375, 57.12, 58.395), letterbox=_STRETCH
)
_SSD_SIZES: Grid = ((8, (10, 16, 24)), (16, (32, 48)), (32, (64, 96)), (64, (128, 192, 256)))
_SSD_VARIANCES = (0.1, 0.2)


def _strides(*strides: int, anchors: int = 1) -> Grid:
    """Return a grid with anchors of the size of their cells."""
    return tuple((stride, (float(stride),) * anchors) for stride in strides)


def _points(*counts: tuple[int, int]) -> Grid:
    """Return a grid with `count` anchors of one pixel per cell, from (stride, count) pairs."""
    return tuple((stride, (1.0,) * count) for stride, count in counts)


FAMILIES = (
    AnchorFamily(
        name="YuNet",
        label="face",
        grids=(_strides(8, 16, 32),),
        coding="exponential",
        objectness=True,
        keypoints=10,
        recipe=_BYTES_BGR,
    ),
    AnchorFamily(
        name="SCRFD",
        label="face",
        grids=tuple(_strides(*s, anchors=n) for s in ((8, 16, 32), (8, 16, 32, 64, 128)) for n in (2, 1)),
        coding="distances",
        keypoints=10,
        recipe=Recipe(scale=1 / 128, mean=(127.5 / 128,) * 3, letterbox=_CORNER),
    ),
    AnchorFamily(
        name="BlazeFace",
        label="face",
        grids=(_points((8, 2), (16, 6)), _points((16, 2), (32, 6)), _points((4, 1))),
        coding="linear",
        offset=0.5,
        keypoints=12,
        joined="keypoints",
        recipe=_SIGNED,
    ),
    AnchorFamily(
        name="MediaPipe's palm detector",
        label="palm",
        grids=(_points((8, 2), (16, 6)), _points((8, 2), (16, 2), (32, 6))),
        coding="linear",
        offset=0.5,
        keypoints=14,
        joined="keypoints",
        recipe=Recipe(letterbox=_CENTRE),
    ),
    AnchorFamily(
        name="MediaPipe's person detector",
        label="person",
        grids=(_points((8, 2), (16, 6)), _points((8, 2), (16, 2), (32, 6))),
        coding="linear",
        offset=0.5,
        keypoints=8,
        joined="keypoints",
        recipe=_SIGNED,
    ),
    AnchorFamily(
        name="YuNet of 2021",
        label="face",
        grids=(_SSD_SIZES,),
        coding="exponential",
        offset=0.5,
        variances=_SSD_VARIANCES,
        scores=2,
        objectness=True,
        keypoints=10,
        joined="keypoints",
        recipe=_BYTES_BGR,
    ),
    AnchorFamily(
        name="UltraFace",
        label="face",
        grids=(_SSD_SIZES,),
        coding="exponential",
        offset=0.5,
        variances=_SSD_VARIANCES,
        scores=2,
        decodable=True,
        recipe=Recipe(scale=1 / 128, mean=(127 / 128,) * 3, letterbox=_STRETCH),
    ),
    AnchorFamily(
        name="RetinaFace",
        label="face",
        grids=(((8, (16, 32)), (16, (64, 128)), (32, (256, 512))),),
        coding="exponential",
        offset=0.5,
        variances=_SSD_VARIANCES,
        scores=2,
        keypoints=10,
        decodable=True,
        recipe=Recipe(color="bgr", scale=1.0, mean=(104.0, 117.0, 123.0), letterbox=_CORNER),
    ),
    AnchorFamily(
        name="RetinaFace, trained on number plates",
        label="plate",
        grids=(((8, (24, 48)), (16, (96, 192)), (32, (384, 768))),),
        coding="exponential",
        offset=0.5,
        variances=_SSD_VARIANCES,
        scores=2,
        keypoints=8,
        decodable=True,
        recipe=Recipe(color="bgr", scale=1.0, mean=(104.0, 117.0, 123.0), letterbox=_CENTRE),
    ),
    AnchorFamily(
        name="NanoDet-Plus",
        grids=(_strides(8, 16, 32, 64),),
        coding="distribution",
        scores=0,
        box=32,
        joined="scores",
        recipe=_NANODET,
    ),
    AnchorFamily(
        name="NanoDet",
        grids=(_strides(8, 16, 32),),
        coding="distribution",
        offset=0.5,
        scores=0,
        box=32,
        recipe=_NANODET,
    ),
)


def anchor_levels(grid: Grid, size: tuple[int, int]) -> Iterator[tuple[AnchorLevel, ...]]:
    """Yield the levels over an input of (height, width): first with cells cut off at the edges, then without."""
    for rounded in (math.ceil, math.floor):
        yield tuple(
            AnchorLevel(stride, rounded(size[0] / stride), rounded(size[1] / stride), tuple((s, s) for s in sizes))
            for stride, sizes in grid
        )
