"""Export a checkpoint with the Ultralytics exporter, with NMS in the graph.

python -m models.yolo_pose.export build/yolo-pose/run/weights/best.pt models/yolo-pose.onnx
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from models.people.dataset import SIDE
from models.yolo_pose.offline import YOLO


def export(weights: Path, onnx: Path, suppress: bool = True) -> None:
    """Write `onnx`: input [1, 3, 192, 192], output [1, 100, 57] with NMS."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "yolo-pose.pt"
        shutil.copy(weights, copy)
        options = {"nms": True, "max_det": 100} if suppress else {}
        model = YOLO(str(copy))
        network: Any = model.model
        network.args["data"] = "people.yaml"  # the description of the file names it
        made = model.export(format="onnx", imgsz=SIDE, device="cpu", **options)
        shutil.copy(made, onnx)


def main() -> None:
    """Read the command line and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--raw", action="store_true", help="export without NMS")
    options = parser.parse_args()
    export(options.weights, options.onnx, not options.raw)


if __name__ == "__main__":
    main()
