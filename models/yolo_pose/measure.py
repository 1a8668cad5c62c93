"""Measures the shipped model on held-out drawings and writes the table in models/README.md.

    python -m models.yolo_pose.measure
"""

import argparse
from pathlib import Path

import numpy as np

from models.people import dataset
from models.yolo_pose.detector import Detector
from models.yolo_pose.precision import box_overlap, keypoint_similarity, mean_precision

MODELS = Path(__file__).parents[1]
START, END = "<!-- measured -->\n", "<!-- /measured -->"
STRICT = [float(t) for t in np.arange(0.5, 0.96, 0.05)]


def measure(onnx: Path) -> dict[str, str]:
    """The rows of the table: what was measured, and the number."""
    detector = Detector(onnx)
    pictures, labels = zip(*dataset.held_out(), strict=True)
    found = [detector(picture) for picture in pictures]
    precision = {
        f"{name} mAP{'50' if thresholds == [0.5] else '50-95'}": mean_precision(
            found, labels, similarity, thresholds
        )
        for name, similarity in (("box", box_overlap), ("pose (OKS)", keypoint_similarity))
        for thresholds in ([0.5], STRICT)
    }
    alone = [one for one, truth in zip(found, labels, strict=True) if not truth]
    return {
        "held-out pictures": str(len(pictures)),
        "people in them": str(sum(map(len, labels))),
        "people found": str(sum(len(one.scores) for one in found)),
        **{name: f"{value:.3f}" for name, value in precision.items()},
        "found where there is nobody": f"{sum(len(o.scores) for o in alone)} in {len(alone)} pictures",
        "file size": f"{onnx.stat().st_size / 1e6:.2f} MB",
    }


def rewrite(readme: Path, rows: dict[str, str]) -> None:
    """Put the table between the two marks."""
    before, rest = readme.read_text().split(START)
    after = rest.split(END)[1]
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    readme.write_text(before + START + "\n".join(lines) + "\n" + END + after)


def main() -> None:
    """Read the command line, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--onnx", type=Path, default=MODELS / "yolo-pose.onnx")
    parser.add_argument("--readme", type=Path, default=MODELS / "README.md")
    options = parser.parse_args()
    rows = measure(options.onnx)
    for name, value in rows.items():
        print(f"{name}: {value}")
    rewrite(options.readme, rows)


if __name__ == "__main__":
    main()
