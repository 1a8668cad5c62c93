"""Export the model that is measured: a full-size YOLO11n-pose with random weights and NMS in the graph.

python -m benchmarks.export_yolo build/yolo11n-pose.onnx
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from models.people import letterbox
from models.yolo_pose.offline import YOLO

SIDE = 640
IMAGES = Path(__file__).parents[1] / "webbuild/samples/pictures"
TARGET_DETECTIONS = 60
"""Anchors of a picture that score above the exported threshold."""


def load_image(file: Path) -> torch.Tensor:
    """Return a picture as the network's input, RGB [3, side, side] in 0..1."""
    pixels = letterbox.fit(np.asarray(Image.open(file).convert("RGB")), SIDE)
    return torch.from_numpy(pixels).permute(2, 0, 1).float() / 255


def random_network() -> Any:
    """Return a network with random weights and the feature statistics of a trained network.

    Without that, its normalizations do not normalize, and all its scores are equal.
    """
    torch.manual_seed(0)
    model = YOLO("yolo11n-pose.yaml")
    network: Any = model.model
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None  # a plain average over the following batches
    network.train()
    pictures = torch.stack([load_image(file) for file in sorted(IMAGES.glob("*.*"))])
    with torch.no_grad():
        for _ in range(4):
            network(pictures)
        network.eval()
        scores = network(pictures)[0][:, 4:84].amax(1)
    above = scores.flatten().quantile(1 - TARGET_DETECTIONS / scores.shape[1])
    for branch in network.model[-1].cv3:
        branch[-1].bias.data += torch.logit(torch.tensor(0.25)) - torch.logit(above)
    return model


def main() -> None:
    """Export to the file of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out.resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(random_network().export(format="onnx", imgsz=SIDE, nms=True, device="cpu"), out)


if __name__ == "__main__":
    main()
