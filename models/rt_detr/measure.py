"""Measure the shipped RT-DETR on held-out drawings and write the table in models/README.md.

python -m models.rt_detr.measure
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.scenes import dataset
from models.scenes.names import SHAPES
from models.scenes.quality import Boxes, mean_average_precision
from models.table import README, publish

MODEL = README.with_name("rt-detr") / "rt-detr.onnx"
STRICT = [float(threshold) for threshold in np.arange(0.5, 0.96, 0.05)]
SHOWN = 0.5
"""Minimum score of a shown detection."""


def measure(onnx: Path) -> dict[str, str]:
    """Return the measured values by title."""
    session = ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    found, truth = [], []
    for picture in dataset.held_out():
        height, width = picture.stuff.shape
        image = picture.image.transpose(2, 0, 1)[None].astype(np.float32) / 255
        feed = {"images": image, "orig_target_sizes": np.array([[width, height]])}
        labels, boxes, scores = (np.asarray(value)[0] for value in session.run(["labels", "boxes", "scores"], feed))
        found.append(Boxes(boxes, labels, scores))
        own = np.array([thing.box for thing in picture.things]).reshape(-1, 4)
        truth.append(Boxes(own, np.array([SHAPES.index(thing.shape) for thing in picture.things], int)))
    empty = [one for one, own in zip(found, truth, strict=True) if not len(own.boxes)]
    wrong = sum(int((one.scores > SHOWN).sum()) for one in empty)
    return {
        "held-out pictures": str(len(found)),
        "things in them": str(sum(len(one.boxes) for one in truth)),
        f"things found with a score above {SHOWN}": str(sum(int((one.scores > SHOWN).sum()) for one in found)),
        "mAP50": f"{mean_average_precision(found, truth, [0.5]):.3f}",
        "mAP50-95": f"{mean_average_precision(found, truth, STRICT):.3f}",
        "found where there is nothing": f"{wrong} in {len(empty)} pictures",
    }


if __name__ == "__main__":
    publish({"RT-DETR": measure}, "rt-detr", MODEL, __doc__)
