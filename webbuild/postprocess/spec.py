"""The post-processing that a detector was exported without: which outputs it reads, and what it makes of them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

DETECTIONS = "detections"
"""Name of the output that takes the place of the raw one."""


CLASS_MAPS = "class_maps"
"""Name of the output that takes the place of maps in another form."""


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


class DetrPostprocess(Struct, frozen=True, kw_only=True):
    """The outputs of DETR and of what came of it: RT-DETR, D-FINE, DEIM. Nothing is to be suppressed.

    Layouts:

    - `parts`: labels [1, rows], whole numbers; boxes [1, rows, 4], x1 y1 x2 y2; scores [1, rows]. The
      post-processing was exported with the model. Boxes are in pixels of what the model is fed as `size_input`.
    - `queries`: logits [1, queries, classes] and boxes [1, queries, 4]: centre x y, width, height as parts of the
      input. With `softmax` the last class is "nothing", a query has one class at most, and its score is the best
      probability of the others. Else each logit has a score of its own, its sigmoid, and the best of all are taken,
      as many as there are queries: a query may have two classes.
    - `table` [1, queries, 4 + classes]: centre x y, width, height as parts of the input, and a probability for each
      class, of which a query's best counts; Ultralytics' RT-DETR before 8.4.
    - `centred` [1, rows, 6]: centre x y, width, height as parts of the input, score, class; the same since then.

    What replaces them is `DETECTIONS` [1, rows, 6], x1 y1 x2 y2 in pixels of the input, score, class index: rows of
    falling score, those at or below the confidence threshold zero. A box that was given in pixels of something else
    is scaled back to those of the input, whatever that was, so that it lies where it does however the picture was
    fitted in: what is drawn in the input's upper half is drawn in the upper half of the part that the picture covers.

    Attributes:
        layout: see above.
        output: name of the output with scores, or logits.
        boxes: name of that with boxes, perhaps the same.
        labels: name of that with labels; empty but for `parts`.
        size: (height, width) of the input in pixels.
        rows: how many rows come out.
        size_input: name of the input with the size that the boxes are scaled by; empty where they are not.
        size_order: of that input.
        softmax: see above.
        confidence: exported threshold of the score.
        constant_masks: names and shapes of inputs that are 1 everywhere: masks of what is picture and not padding.
    """

    layout: Literal["parts", "queries", "table", "centred"]
    output: str
    boxes: str
    labels: str = ""
    size: tuple[int, int]
    rows: int
    size_input: str = ""
    size_order: Literal["width-height", "height-width"] = "width-height"
    softmax: bool = False
    confidence: float = 0.5
    constant_masks: dict[str, tuple[int, ...]] = {}

    @property
    def replaced_outputs(self) -> tuple[str, ...]:
        """The outputs that `DETECTIONS` takes the place of."""
        return tuple(dict.fromkeys(name for name in (self.output, self.boxes, self.labels) if name))


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
    """Scores and boxes of a detector as outputs of their own, which are still to be decoded: of SSD and its kin.

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


class ClassMapsPostprocess(Struct, frozen=True, kw_only=True):
    """Maps of classes whose channels come last, or the one map of a mask; `CLASS_MAPS` [1, classes, h, w] replaces it.

    Attributes:
        output: name of the maps [1, h, w, classes], or of the mask [1, h, w, 1] or [1, 1, h, w].
        channels_last: see above.
        classes: how many there are; 2 of a mask: what is not in it, and what is.
        threshold: above it a pixel is in the mask: 0.5 of probabilities, 0 of logits. Nothing to maps of classes.
    """

    output: str
    channels_last: bool
    classes: int
    threshold: float = 0.5


class GroundingPostprocess(Struct, frozen=True, kw_only=True):
    """The outputs stay as they are: what they say hangs on the prompt, which only the runtime knows.

    Attributes:
        constant_masks: names and shapes of inputs that are 1 everywhere: masks of what is picture and not padding.
    """

    constant_masks: dict[str, tuple[int, ...]] = {}


Postprocess = YoloPostprocess | AnchorPostprocess | DetrPostprocess | ClassMapsPostprocess | GroundingPostprocess
