"""Families of grid detectors: the columns of a cell, the anchors, and the preprocessing."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.manifest.manifest import Letterbox
from webbuild.preprocess.recipe import Recipe

Sizes = tuple[tuple[float, float], ...]
"""Width and height of anchors, in pixels of the input."""


class GridFamily(Struct, frozen=True, kw_only=True):
    """Detectors with objectness, box and class scores per grid cell. See `AnchorPostprocess` for the codings.

    Orders of a cell's numbers, with A anchors and C classes:

    - `objectness-first`: objectness, box, C classes; one anchor of the input's size;
    - `shared-classes`: A boxes, A objectnesses, C classes;
    - `each-anchor`: box, objectness and C classes of every anchor, in an output [1, A, h, w, 5 + C].

    Attributes:
        name: the name of the family.
        strides: pixels between the cells of each grid.
        anchors: anchor sizes of each grid; empty for one anchor of the input's size.
        published: number of classes and input side of the model with these anchors, if other models have others.
        order: see above.
        outputs: required output names, if the shapes also fit other detectors.
        keypoints: for `each-anchor`, the numbers between objectness and class scores, which are dropped.
        label: the only class of the detector; empty if there may be more.
        coding: see `AnchorPostprocess`, like `offset`, `exponents`, `exclusive`, `confidence` and `iou`.
        recipe: the preprocessing.
    """

    name: str
    strides: tuple[int, ...]
    anchors: tuple[Sizes, ...] = ()
    published: tuple[int, int] | None = None
    order: Literal["objectness-first", "shared-classes", "each-anchor"]
    outputs: tuple[str, ...] = ()
    keypoints: int = 0
    label: str = ""
    coding: Literal["yolov5", "fastestdet"]
    offset: float
    exponents: tuple[float, float]
    exclusive: bool
    confidence: float
    iou: float
    recipe: Recipe


_STRETCHED_BGR = Recipe(color="bgr", letterbox=Letterbox(mode="stretch"))

GRID_FAMILIES = (
    GridFamily(
        name="FastestDet",
        strides=(16,),
        order="objectness-first",
        coding="fastestdet",
        offset=0.0,
        exponents=(0.4, 0.6),
        exclusive=True,
        confidence=0.65,
        iou=0.45,
        recipe=_STRETCHED_BGR,
    ),
    GridFamily(
        name="YOLO-FastestV2",
        strides=(16, 32),
        anchors=(
            ((12.64, 19.39), (37.88, 51.48), (55.71, 138.31)),
            ((126.91, 78.23), (131.57, 214.55), (279.92, 258.87)),
        ),
        published=(80, 352),
        order="shared-classes",
        coding="yolov5",
        offset=0.5,
        exponents=(1.0, 1.0),
        exclusive=True,
        confidence=0.3,
        iou=0.4,
        recipe=_STRETCHED_BGR,
    ),
    GridFamily(
        name="YOLOv5-face",
        strides=(8, 16, 32),
        anchors=(
            ((4, 5), (8, 10), (13, 16)),
            ((23, 29), (43, 55), (73, 105)),
            ((146, 217), (231, 300), (335, 433)),
        ),
        order="each-anchor",
        outputs=("stride_8", "stride_16", "stride_32"),
        keypoints=10,
        label="face",
        coding="yolov5",
        offset=0.5,
        exponents=(1.0, 1.0),
        exclusive=False,
        confidence=0.25,
        iou=0.45,
        recipe=Recipe(),
    ),
    GridFamily(
        name="YOLOv5",
        strides=(8, 16, 32),
        anchors=(
            ((10, 13), (16, 30), (33, 23)),
            ((30, 61), (62, 45), (59, 119)),
            ((116, 90), (156, 198), (373, 326)),
        ),
        order="each-anchor",
        coding="yolov5",
        offset=0.5,
        exponents=(1.0, 1.0),
        exclusive=False,
        confidence=0.25,
        iou=0.45,
        recipe=Recipe(),
    ),
)
