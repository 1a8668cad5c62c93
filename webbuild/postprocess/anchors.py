"""Raw scores and boxes of detectors with anchors, such as SSD."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from webbuild.postprocess.yolo import YoloPostprocess


class Columns(Struct, frozen=True):
    """Some columns of an output as a table: from `first` up to `end`, of the rows from `start` up to `stop`.

    All axes but the last are rows: [1, anchors, numbers], [1, anchors, h, w, numbers]. With `maps`
    [1, numbers, h, w] every cell is one. `stop` is 0 where all rows are taken.
    """

    output: str
    first: int
    end: int
    maps: bool = False
    start: int = 0
    stop: int = 0

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.end - self.first


class AnchorLevel(Struct, frozen=True):
    """A grid of cells `stride` pixels apart; at every cell an anchor of each of `sizes`, width and height in pixels."""

    stride: int
    rows: int
    columns: int
    sizes: tuple[tuple[float, float], ...]

    @property
    def anchors(self) -> int:
        """How many there are."""
        return self.rows * self.columns * len(self.sizes)


class AnchorPostprocess(Struct, frozen=True, kw_only=True):
    """Scores and boxes of a detector as outputs of their own, which are still to be decoded, as of SSD.

    Every anchor has a centre, (column + `offset`) * stride and (row + `offset`) * stride, and a size. Codings of the
    four numbers a b c d of a box, and of the two of a keypoint:

    - `corners`: x1 y1 x2 y2, in pixels or, with `parts`, in parts of the input; there are no anchors (UltraFace);
    - `linear`: centre + (a, b) * size, and width and height (c, d) * size (BlazeFace);
    - `exponential`: centre + (a, b) * `variances[0]` * size, and exp((c, d) * `variances[1]`) * size (SSD, RetinaFace);
    - `distances`: left, top, right and bottom side at centre -+ (a, b), (c, d) * size (SCRFD);
    - `distribution`: the same of the mean of each side's numbers after a softmax: 0, 1, 2 and so on (NanoDet);
    - `yolov5`: centre + (2 s(a, b) - 1) * stride, and (2 s(c, d))^2 * size, where s is a sigmoid (YOLO-FastestV2);
    - `fastestdet`: centre + tanh(a, b) * stride, and s(c, d) * size.

    A keypoint lies at centre + (a, b) * size, with `exponential` times `variances[0]`.

    Attributes:
        scores: class scores of each level, or of all of them.
        objectness: of a second score; else empty.
        exponents: a score is class score^first * objectness^second: the root of the product (YuNet), the product.
        boxes: of each level, or of all of them.
        keypoints: the same, where they belong to the answer.
        unused: outputs that go too.
        size: (height, width) of the input in pixels.
        classes: without the one that is nothing.
        coding: see above.
        levels: the anchors, in their order in the outputs; empty for `corners`.
        offset: see above.
        variances: see above.
        parts: see above.
        decodable: some exports of such a detector give corners; which this is, its answers tell.
        sigmoid_boxes: whether the sigmoid of the numbers of a box is still to be taken.
        activation: what makes probabilities of the scores.
        exclusive: class scores of an anchor add up to 1; where they do not, the outputs are something else.
        background: the first class is nothing, and left out.
        confidence: exported threshold of the score.
        iou: exported threshold of the overlap.
        max_detections: rows out, at most.
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
        """The outputs that `DETECTIONS` takes the place of."""
        read = (each.output for part in (self.scores, self.objectness, self.boxes, self.keypoints) for each in part)
        return tuple(dict.fromkeys((*read, *self.unused)))

    @property
    def suppression(self) -> YoloPostprocess:
        """What follows the decoding, for a table [anchors, 4 + classes + keypoints * 2] of centres and so on."""
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
