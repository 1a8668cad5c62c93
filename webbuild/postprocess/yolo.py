"""Raw outputs of YOLO-like detectors, exported without their postprocessing."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class YoloPostprocess(Struct, frozen=True, kw_only=True):
    """The raw output of a YOLO-like detector, and the postprocessing to append.

    Layouts; boxes are in pixels of the input:

    - `columns` [1, 4 + classes + extra, anchors]: centre x y, width, height, class scores (Ultralytics since v8);
    - `rows` [1, anchors, 5 + classes + extra]: the same with an objectness score before the class scores, which
      are multiplied by it (YOLOv5, v7, YOLOX);
    - `final` [1, rows, 6 + extra]: x1 y1 x2 y2, score, class index of an end-to-end head (YOLO10, YOLO26). It needs
      no NMS; rows without an object have a low score.

    `DETECTIONS` [1, rows, 6 + extra] replaces the output, as in the tasks of the manifest: rows are sorted by falling
    score, and rows after the last detection are zero.

    Attributes:
        output: name of the raw output.
        layout: see above.
        size: (height, width) of the input in pixels.
        classes: number of class scores; 0 for `final`.
        extra_columns: number of columns after the class scores: keypoints, mask coefficients, or one angle.
        skipped_columns: number of columns between objectness and class scores that are dropped, for `rows`: the
            keypoints of YOLOv5-face.
        rotated: boxes are centre x y, width, height with an angle as the only extra column. NMS is Ultralytics': by
            probabilistic IoU, and a suppressed box still suppresses.
        strides: strides of the grids, if boxes are offsets in grid cells (YOLOX); else empty.
        class_agnostic: boxes of different classes suppress each other.
        confidence: exported score threshold.
        iou: exported IoU threshold.
        max_detections: maximum number of output rows.
    """

    output: str
    layout: Literal["columns", "rows", "final"]
    size: tuple[int, int]
    classes: int
    extra_columns: int = 0
    skipped_columns: int = 0
    rotated: bool = False
    strides: tuple[int, ...] = ()
    class_agnostic: bool = False
    confidence: float = 0.25
    iou: float = 0.7
    max_detections: int = 300

    @property
    def columns(self) -> int:
        """The number of columns of `DETECTIONS`."""
        return 6 + self.extra_columns

    @property
    def row_width(self) -> int:
        """The number of values that the raw output has for each anchor or row."""
        return (6 if self.layout == "final" else self.first_score + self.classes) + self.extra_columns

    @property
    def first_score(self) -> int:
        """The column of the first class score."""
        return 5 + self.skipped_columns if self.layout == "rows" else 4
