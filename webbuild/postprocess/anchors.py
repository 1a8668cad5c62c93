"""Raw scores and boxes of anchor-based detectors, such as SSD."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.postprocess.yolo import YoloPostprocess


class Columns(Struct, frozen=True):
    """A slice of an output as a table [rows, columns]: columns `first:end` of rows `start:stop`.

    All axes but the last are rows: [1, anchors, numbers], [1, anchors, h, w, numbers]. With `maps`
    [1, numbers, h, w] every cell is a row. `stop` is 0 where all rows are taken.
    """

    output: str
    first: int
    end: int
    maps: bool = False
    start: int = 0
    stop: int = 0

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.end - self.first


class AnchorLevel(Struct, frozen=True):
    """A grid of cells `stride` pixels apart. Every cell has one anchor per (width, height) of `sizes`, in pixels."""

    stride: int
    rows: int
    columns: int
    sizes: tuple[tuple[float, float], ...]

    @property
    def anchors(self) -> int:
        """The number of anchors in this level."""
        return self.rows * self.columns * len(self.sizes)


class AnchorPostprocess(Struct, frozen=True, kw_only=True):
    """Separate, undecoded outputs for scores and boxes of a detector such as SSD.

    Every anchor has a centre, (column + `offset`) * stride and (row + `offset`) * stride, and a size. Codings of the
    four numbers a b c d of a box:

    - `corners`: x1 y1 x2 y2, in pixels or, with `parts`, normalized to 0..1; there are no anchors (UltraFace);
    - `linear`: centre + (a, b) * size, and width and height (c, d) * size (BlazeFace);
    - `exponential`: centre + (a, b) * `variances[0]` * size, and exp((c, d) * `variances[1]`) * size (SSD, RetinaFace);
    - `distances`: corners centre - (a, b) * size and centre + (c, d) * size (SCRFD);
    - `distribution`: as `distances`; each distance is the mean of a softmax over the bins 0, 1, 2, ... (NanoDet);
    - `yolov5`: centre + (2 s(a, b) - 1) * stride, and (2 s(c, d))^2 * size, where s is a sigmoid (YOLO-FastestV2);
    - `fastestdet`: centre + tanh(a, b) * stride, and s(c, d) * size.

    A keypoint (a, b) is at centre + (a, b) * size; with `exponential` the offset is also multiplied by `variances[0]`.

    Attributes:
        scores: class scores, one entry per level or one for all levels.
        objectness: the second score, one entry per level or one for all levels; empty if there is none.
        exponents: score = class score^first * objectness^second. (0.5, 0.5) is YuNet's, (1, 1) is the product.
        boxes: boxes, one entry per level or one for all levels.
        keypoints: keypoints, one entry per level or one for all levels; empty if the model has none.
        unused: further outputs to remove.
        size: (height, width) of the input in pixels.
        classes: number of classes, without the background class.
        coding: see above.
        levels: the anchors, in their order in the outputs; empty for `corners`.
        offset: see above.
        variances: see above.
        parts: see above.
        decodable: some exports of this detector contain the decoding and output corners. The output values decide.
        sigmoid_boxes: the box numbers are logits, which still need a sigmoid.
        activation: the function that turns the scores into probabilities.
        exclusive: class scores of an anchor must add up to 1. If they do not, the outputs are something else.
        background: the first class is the background, and is removed.
        confidence: exported score threshold.
        iou: exported IoU threshold.
        max_detections: maximum number of output rows.
    """

    scores: tuple[Columns, ...]
    objectness: tuple[Columns, ...] = ()
    exponents: tuple[float, float] = (0.5, 0.5)
    boxes: tuple[Columns, ...]
    keypoints: tuple[Columns, ...] = ()
    unused: tuple[str, ...] = ()
    size: tuple[int, int]
    classes: int
    coding: Literal["corners", "linear", "exponential", "distances", "distribution", "yolov5", "fastestdet"]
    levels: tuple[AnchorLevel, ...] = ()
    offset: float = 0.0
    variances: tuple[float, float] = (1.0, 1.0)
    parts: bool = False
    decodable: bool = False
    sigmoid_boxes: bool = False
    activation: Literal["none", "sigmoid", "softmax"] = "none"
    exclusive: bool = False
    background: bool = False
    confidence: float = 0.5
    iou: float = 0.45
    max_detections: int = 300

    @property
    def output(self) -> str:
        """The first output with scores."""
        return self.scores[0].output

    @property
    def replaced_outputs(self) -> tuple[str, ...]:
        """The outputs that `DETECTIONS` replaces."""
        read = (each.output for part in (self.scores, self.objectness, self.boxes, self.keypoints) for each in part)
        return tuple(dict.fromkeys((*read, *self.unused)))

    @property
    def suppression(self) -> YoloPostprocess:
        """The NMS after decoding, for a table [anchors, 4 + classes + keypoints * 2] that starts with cx cy w h."""
        return YoloPostprocess(
            output=self.output,
            layout="columns",
            size=self.size,
            classes=self.classes,
            extra_columns=self.keypoints[0].width if self.keypoints else 0,
            confidence=self.confidence,
            iou=self.iou,
            max_detections=self.max_detections,
        )
