"""Measure the shipped model on held-out drawings and write the table in models/README.md.

python -m models.yolo_pose.measure
"""

import argparse
from pathlib import Path

import numpy as np

from models.people import dataset
from models.table import README, rewrite, table
from models.yolo_pose.detector import Detector
from models.yolo_pose.precision import box_overlap, keypoint_similarity, mean_precision

MODELS = Path(__file__).parents[1]
SPLITS = ["large", "varied"]
STRICT = [float(t) for t in np.arange(0.5, 0.96, 0.05)]


def measure(onnx: Path, split: str) -> dict[str, str]:
    """Return one column of the table: measured values by title."""
    detector = Detector(onnx)
    pictures, labels = zip(*dataset.held_out(split), strict=True)
    found = [detector(picture) for picture in pictures]
    column = {
        "held-out pictures": str(len(pictures)),
        "people in them": str(sum(map(len, labels))),
        "people found": str(sum(len(one.scores) for one in found)),
    }
    for name, similarity in (("box", box_overlap), ("pose (OKS)", keypoint_similarity)):
        for level, thresholds in (("mAP50", [0.5]), ("mAP50-95", STRICT)):
            value = mean_precision(found, labels, similarity, thresholds)
            column[f"{name} {level}"] = f"{value:.3f}"
    empty = [one for one, truth in zip(found, labels, strict=True) if not truth]
    wrong = sum(len(one.scores) for one in empty)
    column["found where there is nobody"] = f"{wrong} in {len(empty)} pictures"
    return column


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--onnx", type=Path, default=MODELS / "yolo-pose.onnx")
    parser.add_argument("--readme", type=Path, default=README)
    options = parser.parse_args()
    text = table({split: measure(options.onnx, split) for split in SPLITS})
    print(text)
    rewrite(options.readme, "yolo-pose", text)


if __name__ == "__main__":
    main()
