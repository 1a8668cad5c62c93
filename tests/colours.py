"""A classifier for the dominant colour of an image (red, green or blue), and images for it."""

from __future__ import annotations

from pathlib import Path

import onnx
from PIL import Image

from tests.models import HEADER, parsed

COLOURS = f"""{HEADER}
colours (float[1,3,8,8] images) => (float[1,3] scores)
<float[3,3] sharpen = {{8, 0, 0, 0, 8, 0, 0, 0, 8}}>
{{
  mean = GlobalAveragePool (images)
  flat = Flatten (mean)
  sharp = MatMul (flat, sharpen)
  scores = Softmax <axis = 1> (sharp)
}}
"""


def colours() -> onnx.ModelProto:
    """Return a classifier for the dominant colour (red, green or blue), in the form that Ultralytics exports."""
    model = parsed(COLOURS)
    onnx.helper.set_model_props(model, {"task": "classify", "names": "{0: 'red', 1: 'green', 2: 'blue'}"})
    return model


def paint(folder: Path) -> list[Path]:
    """Write one mostly uniform image for each colour, named after it; none is square."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, colour in {"red": (220, 40, 30), "green": (30, 200, 60), "blue": (20, 60, 240)}.items():
        paths.append(folder / f"{name}.png")
        Image.new("RGB", (24, 16), colour).save(paths[-1])
    return paths
