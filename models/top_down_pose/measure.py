"""Measure the shipped top-down network after the single-stage model and write the table in models/README.md.

python -m models.top_down_pose.measure
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.imagenet import inputs
from models.people import dataset
from models.people.scene import Array, Label, Pixels
from models.table import README, publish
from models.top_down_pose import crops
from models.yolo_pose.detector import Detector, Found
from models.yolo_pose.precision import box_overlap, keypoint_similarity, mean_precision

MODEL = README.with_name("top-down-pose") / "top-down-pose.onnx"
SINGLE = README.with_name("yolo-pose.onnx")
SMALL = 64
"""Largest height in pixels of a small person."""

STRICT = [float(t) for t in np.arange(0.5, 0.96, 0.05)]


class TopDown:
    """The network in native ONNX Runtime."""

    def __init__(self, onnx: Path) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(onnx, options)

    def __call__(self, image: Pixels, boxes: Array) -> Array:
        """Key points [n, 17, 3] of the people in boxes [n, 4] of a picture, the last the confidence."""
        if not len(boxes):
            return np.zeros((0, 17, 3))
        middles, sizes = zip(*map(crops.placed, boxes), strict=True)
        cut = np.stack([crops.crop(image, crops.warp(*one)) for one in zip(middles, sizes, strict=True)])
        along_x, along_y = (np.asarray(one) for one in self.session.run(None, {"input": inputs(cut)}))
        points, confidence = crops.decoded(along_x, along_y, np.stack(middles), np.stack(sizes))
        return np.concatenate([points, confidence[..., None]], -1)


@cache
def pictures() -> Sequence[tuple[Pixels, list[Label]]]:
    """Return the held-out pictures of small people."""
    return list(dataset.held_out("small"))


@cache
def found_by_one_stage() -> Sequence[Found]:
    """Yield the single-stage model's detections."""
    detector = Detector(SINGLE)
    return [detector(image) for image, _ in pictures()]


def looked_at_again(onnx: Path) -> Iterator[Found]:
    """Yield the same detections with the second stage's key points."""
    second = TopDown(onnx)
    for (image, _), found in zip(pictures(), found_by_one_stage(), strict=True):
        yield replace(found, keypoints=second(image, found.boxes))


def in_true_boxes(onnx: Path) -> Iterator[Found]:
    """Yield the second stage's results in the true boxes."""
    second = TopDown(onnx)
    for image, labels in pictures():
        boxes = np.array([one.box for one in labels]).reshape(-1, 4)
        yield Found(boxes, np.ones(len(boxes)), second(image, boxes))


def small(label: Label) -> bool:
    """Whether a person is small, and visible enough to be located."""
    return bool(label.box[3] - label.box[1] < SMALL)


def measure(finder: Callable[[Path], Iterator[Found]], onnx: Path) -> dict[str, str]:
    """Return one column of the table: measured values by title."""
    answers = list(finder(onnx))
    labels = [truth for _, truth in pictures()]
    similar, wanted = [], 0
    for found, truth in zip(answers, labels, strict=True):
        wanted += sum(map(small, truth))
        boxes, points = box_overlap(found, truth), keypoint_similarity(found, truth)
        for column, label in enumerate(truth):
            if small(label) and len(boxes) and boxes[:, column].max() >= 0.5:
                similar.append(points[boxes[:, column].argmax(), column])
    precision = mean_precision(answers, labels, keypoint_similarity, STRICT)
    return {
        "held-out pictures": str(len(labels)),
        f"people less than {SMALL} pixels high": str(wanted),
        "of these found": str(len(similar)),
        "mean OKS of those found": f"{np.mean(similar):.3f}",
        "with an OKS above 0.5": f"{np.mean(np.array(similar) > 0.5):.3f}",
        "with an OKS above 0.75": f"{np.mean(np.array(similar) > 0.75):.3f}",
        "pose (OKS) mAP50-95, everybody": f"{precision:.3f}",
    }


if __name__ == "__main__":
    publish(
        {
            "one stage": partial(measure, lambda _: iter(found_by_one_stage())),
            "top-down after it": partial(measure, looked_at_again),
            "top-down in true boxes": partial(measure, in_true_boxes),
        },
        "top-down-pose", MODEL, __doc__,
    )  # fmt: skip
