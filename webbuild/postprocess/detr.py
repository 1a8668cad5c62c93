"""Raw outputs of DETR-like detectors."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class DetrPostprocess(Struct, frozen=True, kw_only=True):
    """The outputs of DETR and its successors RT-DETR, D-FINE and DEIM. They need no NMS.

    Layouts, where `cxcywh` is centre x y, width and height, normalized to 0..1 of the input:

    - `parts`: integer labels [1, rows]; boxes [1, rows, 4], x1 y1 x2 y2; scores [1, rows]. The model contains its
      postprocessing. Boxes are in pixels of the size that the model is fed as `size_input`.
    - `queries`: logits [1, queries, classes] and boxes [1, queries, 4], `cxcywh`. With `softmax` the last class is
      "no object", and a query's score is the best probability of the other classes. Without it each logit's sigmoid
      is a score, and the best `queries` scores of all are taken: a query may give two classes.
    - `table` [1, queries, 4 + classes]: `cxcywh`, and a probability for each class; the best one is the query's
      class. Ultralytics' RT-DETR before 8.4.
    - `centred` [1, rows, 6]: `cxcywh`, score, class. Ultralytics' RT-DETR since 8.4.

    `DETECTIONS` [1, rows, 6] replaces these outputs: x1 y1 x2 y2 in pixels of the input, score, class index. Rows are
    sorted by falling score; rows at or below the confidence threshold are zero. Boxes in pixels of another size are
    scaled to the input's pixels, whatever that size was. So the letterbox, not `size_input`, maps them to the picture.

    Attributes:
        layout: see above.
        output: name of the output with scores, or logits.
        boxes: name of the output with boxes, possibly the same.
        labels: name of the output with labels; only for `parts`.
        size: (height, width) of the input in pixels.
        rows: number of output rows.
        size_input: name of the input with the size that boxes are scaled by; empty if there is none.
        size_order: the order of the two numbers in that input.
        softmax: see above.
        confidence: exported score threshold.
        constant_masks: names and shapes of inputs that are all ones: masks that tell the picture from the padding.
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
        """The outputs that `DETECTIONS` replaces."""
        return tuple(dict.fromkeys(name for name in (self.output, self.boxes, self.labels) if name))
