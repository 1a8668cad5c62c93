"""Raw outputs of DETR-like detectors."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


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
