"""Tiny text detectors (the map is the image's brightness, so bars are text), and images of bars."""

from __future__ import annotations

from pathlib import Path

import onnx
from PIL import Image, ImageDraw

from tests.models import HEADER, parsed

PADDLE = ("x", "sigmoid_0.tmp_0")
"""Names that paddle2onnx gives to the input and the output."""


def detector(
    names: tuple[str, str] = PADDLE, *, ending: str = "Sigmoid", size: tuple[object, object] = (64, 96)
) -> onnx.ModelProto:
    """Return a network whose logit is 6 where a normalized image is white, and -6 where it is black."""
    height, width = size
    model = parsed(f"""{HEADER}
    text (float[1, 3, {height}, {width}] image) => (float[1, 1, {height}, {width}] map)
    <float[1, 3, 1, 1] weight = {{0.9, 0.9, 0.9}}, float[1] bias = {{-0.2}}>
    {{
      raw = Conv (image, weight, bias)
      map = {ending} (raw)
    }}""")
    first, last = model.graph.node  # the text format allows no names with a dot
    model.graph.input[0].name = first.input[0] = names[0]
    model.graph.output[0].name = last.output[0] = names[1]
    return model


def bars(file: Path, size: tuple[int, int] = (200, 120)) -> Path:
    """Save an image of two horizontal white lines and a slanted one on black."""
    picture = Image.new("RGB", size, (0, 0, 0))
    draw = ImageDraw.Draw(picture)
    width, height = size
    for left, top, right, bottom in ((0.1, 0.1, 0.45, 0.22), (0.55, 0.1, 0.9, 0.22)):
        draw.rectangle((left * width, top * height, right * width, bottom * height), fill=(255, 255, 255))
    slanted = ((0.15, 0.8), (0.8, 0.5), (0.84, 0.62), (0.19, 0.92))
    draw.polygon([(x * width, y * height) for x, y in slanted], fill=(255, 255, 255))
    picture.save(file)
    return file
