"""Measure the shipped Mask2Former on held-out drawings and write the table in models/README.md.

python -m models.mask2former.measure
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.imagenet import inputs
from models.scenes import dataset
from models.scenes.names import CATEGORIES, SHAPES
from models.scenes.picture import Picture
from models.scenes.quality import Array, Panoptic, Segment, count
from models.table import README, publish

MODEL = README.with_name("mask2former-swin") / "mask2former.onnx"
SCORE, MASK, KEPT = 0.5, 0.5, 0.8
"""Minimum score of a query, minimum probability of a pixel, and minimum share of a mask that others do not cover."""
GRID = 384
"""Rows and columns to which transformers first resizes Mask2Former's masks."""


def enlarged(masks: Array, height: int, width: int) -> Array:
    """Resize [q, h, w] bilinearly with half-pixel centres."""

    def taps(size: int, wanted: int) -> tuple[Array, Array, Array]:
        at = np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)
        low = np.minimum(at.astype(int), size - 2)
        return low, low + 1, (at - low).astype(np.float32)

    top, bottom, down = taps(masks.shape[1], height)
    left, right, along = taps(masks.shape[2], width)
    rows = masks[:, top] * (1 - down)[:, None] + masks[:, bottom] * down[:, None]
    return np.asarray(rows[:, :, left] * (1 - along) + rows[:, :, right] * along)


def segments(classes: Array, masks: Array, height: int, width: int) -> list[Segment]:
    """Apply transformers' panoptic post-processing, at the picture's size; stuff is fused.

    Args:
        classes: logits [q, c + 1], the last for no object.
        masks: logits [q, h, w].
        height: of the picture.
        width: of the picture.
    """
    shares = np.exp(classes - classes.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    scores, labels = shares.max(1), shares.argmax(1)
    kept = (labels != len(CATEGORIES)) & (scores > SCORE)
    if not kept.any():
        return []
    shown = 1 / (1 + np.exp(-enlarged(masks[kept], GRID, GRID).clip(-50)))
    likely = scores[kept, None, None] * enlarged(shown, height, width)
    winner = likely.argmax(0)
    fused: dict[int, Array] = {}
    made: list[Segment] = []
    for number, label in enumerate(labels[kept].tolist()):
        own, all_of_it = winner == number, (likely[number] >= MASK).sum()
        if not own.any() or not all_of_it or own.sum() / all_of_it <= KEPT:
            continue
        if label < len(SHAPES):
            made.append((label, own))
        else:
            fused[label] = fused.get(label, np.zeros_like(own)) | own
    return made + list(fused.items())


def true_segments(picture: Picture) -> list[Segment]:
    """Return every thing separately, and each visible stuff class."""
    categories = picture.semantic
    stuff = [(n, categories == n) for n in range(len(SHAPES), len(CATEGORIES)) if (categories == n).any()]
    return [(SHAPES.index(thing.shape), thing.mask) for thing in picture.things] + stuff


def measure(onnx: Path) -> dict[str, str]:
    """Return the measured values by title."""
    session = ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    sums: dict[int, Panoptic] = {}
    things = pictures = 0
    for picture in dataset.held_out():
        answers = session.run(
            ["class_queries_logits", "masks_queries_logits"], {"pixel_values": inputs(picture.image)[None]}
        )
        classes, masks = (np.asarray(value)[0] for value in answers)
        count(segments(classes, masks, *picture.stuff.shape), true_segments(picture), sums)
        things, pictures = things + len(picture.things), pictures + 1
    quality = {kind: sums[kind].quality for kind in sorted(sums)}
    own = [value for kind, value in quality.items() if kind < len(SHAPES)]
    stuff = [value for kind, value in quality.items() if kind >= len(SHAPES)]
    return {
        "held-out pictures": str(pictures),
        "things in them": str(things),
        "things recognized, their masks overlapping by more than half": str(
            sum(one.hits for kind, one in sums.items() if kind < len(SHAPES))
        ),
        "panoptic quality": f"{np.mean(list(quality.values())):.3f}",
        "of things": f"{np.mean(own):.3f}",
        "of stuff": f"{np.mean(stuff):.3f}",
    }


if __name__ == "__main__":
    publish({"Mask2Former": measure}, "mask2former", MODEL, __doc__)
