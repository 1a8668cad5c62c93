"""The exported model on pictures of any size."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.people import letterbox
from models.people.dataset import SIDE
from models.people.scene import Array, Pixels


@dataclass(frozen=True)
class Found:
    """Detections in the pixels of the picture, best first.

    Boxes [n, 4] as x1 y1 x2 y2, scores [n], key points [n, 17, 3] as x, y and confidence.
    """

    boxes: Array
    scores: Array
    keypoints: Array


class Detector:
    """The model in native ONNX Runtime."""

    def __init__(self, onnx: Path) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])

    def raw(self, image: Pixels) -> Array:
        """RGB [h, w, 3] -> the model's first output without its batch axis."""
        square = letterbox.fit(image, SIDE).transpose(2, 0, 1)[None]
        name = self.session.get_inputs()[0].name
        (output,) = self.session.run(None, {name: square.astype(np.float32) / 255})
        return np.asarray(output[0], dtype=np.float64)

    def __call__(self, image: Pixels) -> Found:
        """Return all detections in an RGB picture [h, w, 3]."""
        rows = self.raw(image)
        rows = rows[rows[:, 4] > 0]
        scale, _, _, left, top = letterbox.placement(image.shape[1], image.shape[0], SIDE)
        boxes = (rows[:, :4] - (left, top, left, top)) / scale
        points = rows[:, 6:].reshape(-1, 17, 3)
        points[:, :, :2] = (points[:, :, :2] - (left, top)) / scale
        return Found(boxes, rows[:, 4], points)
