"""Convert the shipped pose model for each library: .onnx without NMS, and .tflite, with the same weights.

.venv/zoo/bin/python -m benchmarks.side_by_side.convert build/side-by-side

It needs PyTorch and Ultralytics (`make zoo`), and litert-torch for the .tflite (`pip install litert-torch`).
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper

from benchmarks.side_by_side.convert_names import FORMATS
from models.yolo_pose.offline import YOLO

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "yolo-pose.onnx"
RECIPE = ROOT / "models" / "yolo_pose" / "yolo11-pose-narrow.yaml"
_PREFIX = "model."
"""Prefix of each name in the export with NMS."""
SIDE = 192


def restore_network() -> Any:
    """Return the recipe's network with the weights of the shipped .onnx, in which normalizations are already folded.

    Raises:
        RuntimeError: a weight of the network is not in the file.
    """
    yolo = YOLO(str(RECIPE), task="pose")
    network: Any = yolo.model
    network.fuse(verbose=False)
    weights = {each.name: numpy_helper.to_array(each) for each in onnx.load(MODEL).graph.initializer}
    state = network.state_dict()
    found = {name: torch.from_numpy(weights[_PREFIX + name].copy()) for name in state if _PREFIX + name in weights}
    missing = [name for name in state if name not in found and ".dfl." not in name]
    if missing:
        raise RuntimeError(f"{MODEL.name} has no {', '.join(missing[:5])}")
    network.load_state_dict(found, strict=False)
    network.args = {**network.args, "data": "people.yaml"}
    network.names = {0: "person"}
    return yolo


def main() -> None:
    """Write the files. A failed conversion is printed, and the others continue."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder):
        for form, name in FORMATS.items():
            try:
                made = Path(restore_network().export(format=form, imgsz=SIDE, device="cpu"))
                file = made if made.is_file() else next(made.rglob(f"*{Path(name).suffix}"))
                if file.name != name:
                    shutil.copyfile(file, name)
                print(f"{folder / name}: {(folder / name).stat().st_size} bytes")
            except Exception as error:  # any error of a converter is reported
                print(f"{name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
