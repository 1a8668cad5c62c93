"""Measure the shipped segmenter on held-out drawings and write the table in models/README.md.

python -m models.promptable_segmenter.measure
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime as ort

from models.imagenet import inputs
from models.people.scene import Pixels
from models.promptable_segmenter import clicks
from models.promptable_segmenter.drawings import SIDE, Drawing, held_out
from models.scenes.picture import Mask
from models.table import README, publish

ENCODER = README.with_name("promptable-segmenter") / "encoder.onnx"
CLICKS = 3
COLUMNS: dict[str, tuple[str, str]] = {
    "people and things": ("people", "things"), "shapes": ("shapes", "things"), "parts of people": ("people", "parts"),
}  # fmt: skip
"""By column, the kind of drawings and which of their masks."""

Point = tuple[float, float, int]


class Looked:
    """An encoded picture, which answers prompts."""

    def __init__(self, encoder: ort.InferenceSession, decoder: ort.InferenceSession, image: Pixels) -> None:
        self.decoder, self.shape = decoder, image.shape[:2]
        square = np.zeros((1, 3, SIDE, SIDE), np.float32)
        square[:, :, : image.shape[0], : image.shape[1]] = inputs(image)
        (self.embedding,) = encoder.run(None, {"image": square})

    def answer(self, points: list[Point], logits: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the masks' predicted IoU [4] and logits [4, h, w]; without a box, a padding point is added."""
        boxed = any(label > clicks.OBJECT for *_, label in points)
        rows = np.array(points if boxed else [*points, (0, 0, clicks.PADDING)], np.float32)[None]
        given = np.zeros((1, 1, SIDE // 4, SIDE // 4), np.float32) if logits is None else logits[None, None]
        quality, masks = self.decoder.run(None, {
            "image_embeddings": self.embedding, "point_coords": rows[..., :2], "point_labels": rows[..., 2],
            "mask_input": given, "has_mask_input": np.array([logits is not None], np.float32),
        })  # fmt: skip
        return np.asarray(quality)[0], np.asarray(masks)[0]

    def mask(self, logits: np.ndarray) -> Mask:
        """Logits [h, w] over the square -> the mask in the picture's pixels."""
        larger: Any = cv2.resize(logits, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
        return np.asarray(larger[: self.shape[0], : self.shape[1]] > 0)


def overlap(found: Mask, truth: Mask) -> float:
    """Intersection over union."""
    return float((found & truth).sum() / max((found | truth).sum(), 1))


def clicked(looked: Looked, truth: Mask) -> Iterator[tuple[str, float]]:
    """Click once in the object's middle, then where the mask is wrong; then prompt with a box instead."""
    points: list[Point] = [(*clicks.deepest(truth)[:2], clicks.OBJECT)]
    quality, logits = looked.answer(points)
    best = 1 + int(quality[1:].argmax())
    found = looked.mask(logits[best])
    yield "mask IoU after 1 click", overlap(found, truth)
    yield "the best of its three masks", max(overlap(looked.mask(each), truth) for each in logits[1:])
    shown = logits[best]
    for number in range(2, CLICKS + 1):
        points.append(clicks.correction(found, truth))
        shown = looked.answer(points, shown)[1][0]
        found = looked.mask(shown)
        yield f"after {number} clicks", overlap(found, truth)
    rows, columns = np.flatnonzero(truth.any(1)), np.flatnonzero(truth.any(0))
    box: list[Point] = [(columns[0] - 0.5, rows[0] - 0.5, 2), (columns[-1] + 0.5, rows[-1] + 0.5, 3)]
    yield "of a box", overlap(looked.mask(looked.answer(box)[1][0]), truth)


def measure(kind: str, masks: Callable[[Drawing], tuple[Mask, ...]], onnx: Path) -> dict[str, str]:
    """Return one column: measured values by title."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    encoder, decoder = (ort.InferenceSession(file, options) for file in (onnx, onnx.with_name("decoder.onnx")))
    values: dict[str, list[float]] = {}
    for drawn in held_out(kind):
        if masks(drawn):
            looked = Looked(encoder, decoder, drawn.image)
            for truth in masks(drawn):
                for name, value in clicked(looked, truth):
                    values.setdefault(name, []).append(value)
    count = len(next(iter(values.values())))
    return {"held-out masks": str(count), **{name: f"{np.mean(row):.3f}" for name, row in values.items()}}


def masks_of(name: str, drawn: Drawing) -> tuple[Mask, ...]:
    """The things or the parts of a drawing."""
    masks: tuple[Mask, ...] = getattr(drawn, name)
    return masks


if __name__ == "__main__":
    columns = {name: partial(measure, kind, partial(masks_of, which)) for name, (kind, which) in COLUMNS.items()}
    publish(columns, "promptable-segmenter", ENCODER, __doc__)
