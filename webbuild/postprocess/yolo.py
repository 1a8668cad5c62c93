"""Raw outputs of YOLO-like detectors, exported without their post-processing."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class YoloPostprocess(Struct, frozen=True, kw_only=True):
    """The output of a detector exported without its post-processing, and what is to follow.

    Layouts, by what the output's last two dimensions are, in pixels of the input:

    - `columns` [1, 4 + classes + extra, anchors]: centre x y, width, height, class scores (Ultralytics since v8);
    - `rows` [1, anchors, 5 + classes + extra]: the same with an objectness score in front of the class scores,
      which multiplies them (YOLOv5, v7, YOLOX);
    - `final` [1, rows, 6 + extra]: x1 y1 x2 y2, score, class index of an end-to-end head (YOLO10, YOLO26): nothing
      is to be suppressed, and a low score is all that tells a row of nothing.

    What replaces it is `DETECTIONS` [1, rows, 6 + extra] as in the tasks of the manifest: rows of falling score,
    those past the last detection zero.

    Attributes:
        output: name of the raw output.
        layout: see above.
        size: (height, width) of the input in pixels.
        classes: number of class scores; 0 for `final`.
        extra_columns: number of columns after the class scores: keypoints, mask coefficients, or one angle.
        skipped_columns: of `rows`, those between objectness and class scores, which are left out: the keypoints of
            YOLOv5-face.
        rotated: boxes are centre x y, width, height with an angle as the only extra column, and are suppressed as
            Ultralytics does it: by probabilistic IoU, where a suppressed box still suppresses.
        strides: of an output whose boxes are still offsets in grid cells (YOLOX), the grids' strides; else empty.
        class_agnostic: boxes of different classes suppress one another.
        confidence: exported threshold of the score.
        iou: exported threshold of the overlap.
        max_detections: rows out, at most.
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
        """Numbers in a row of `DETECTIONS`."""
        return 6 + self.extra_columns

    @property
    def row_width(self) -> int:
        """Numbers that the raw output has for each anchor or row."""
        return (6 if self.layout == "final" else self.first_score + self.classes) + self.extra_columns

    @property
    def first_score(self) -> int:
        """The column of the first class score."""
        return 5 + self.skipped_columns if self.layout == "rows" else 4
