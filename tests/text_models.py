"""A recognizer of text encoded as colours (each column's colour is a character), and images for it."""

from __future__ import annotations

import string
from itertools import product
from pathlib import Path

import numpy as np
import onnx
from PIL import Image

from tests.crop_models import crowd_detector
from tests.models import parsed, save

CHARACTERS = string.ascii_letters + string.digits + "."
"""The characters of the dictionary; a space follows them, and the blank comes first."""
COLUMN = 8
"""Input pixels per output column."""
GREY = (128, 128, 128)
COLOURS = dict(zip((*CHARACTERS, " "), product((0, 85, 170, 255), repeat=3), strict=True))


def recognizer(
    *,
    batch: int | str = 1,
    width: int | str = "width",
    layout: str = "ntc",
    softmax: bool = True,
    metadata: dict[str, str] | None = None,
) -> onnx.ModelProto:
    """Return a recognizer [1, 3, 48, width] -> [1, T, 65] or [T, 1, 65], preprocessed as in PaddleOCR: BGR, -1..1.

    The score of a character is -|colour - its colour|^2 * 8, up to a constant for all classes.
    """
    own = np.array([GREY[::-1], *(colour[::-1] for colour in COLOURS.values())], np.float32) / 127.5 - 1  # [65, 3]
    kernel = (16 * own / (48 * COLUMN))[:, :, None, None] * np.ones((1, 1, 48, COLUMN), np.float32)
    axes = "0, 2, 1" if layout == "ntc" else "2, 0, 1"
    shape = f"{batch}, columns, 65" if layout == "ntc" else f"columns, {batch}, 65"
    ending = "y = Softmax <axis = 2> (turned)" if softmax else "y = Identity (turned)"
    model = parsed(
        f"""<ir_version: 8, opset_import: ["" : 18]>
        recognizer (float[{batch}, 3, 48, {width}] x) => (float[{shape}] y)
        <int64[1] rows = {{2}}>
        {{ scores = Conv <kernel_shape = [48, {COLUMN}], strides = [48, {COLUMN}]> (x, weight, bias)
           line = Squeeze (scores, rows)
           turned = Transpose <perm = [{axes}]> (line)
           {ending} }}"""
    )
    for name, values in (("weight", kernel), ("bias", -8 * (own**2).sum(1))):
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
    onnx.helper.set_model_props(model, metadata or {})
    return model


def doctr_recognizer() -> onnx.ModelProto:
    """Return a word recognizer [N, 3, 32, 128] -> [N, 16, 64], preprocessed as in docTR; the blank is the last class.

    It reads the upper 16 rows: a shrunk word is no higher.
    """
    mean, std = np.array([[0.694, 0.695, 0.693], [0.299, 0.296, 0.301]])
    seen = np.array([*(COLOURS[each] for each in CHARACTERS), GREY])
    own = ((seen / 255 - mean) / std).astype(np.float32)  # [64, 3]
    kernel = np.zeros((64, 3, 32, COLUMN), np.float32)
    kernel[:, :, :16] = (16 * own / (16 * COLUMN))[:, :, None, None]
    model = parsed(
        f"""<ir_version: 8, opset_import: ["" : 18]>
        recognizer (float[N, 3, 32, 128] x) => (float[N, 16, 64] y)
        <int64[1] rows = {{2}}>
        {{ scores = Conv <kernel_shape = [32, {COLUMN}], strides = [32, {COLUMN}]> (x, weight, bias)
           line = Squeeze (scores, rows)
           y = Transpose <perm = [0, 2, 1]> (line) }}"""
    )
    for name, values in (("weight", kernel), ("bias", -8 * (own**2).sum(1))):
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
    return model


def orientation(path: Path) -> Path:
    """Write a line orientation classifier [N, 3, ?, ?] -> [N, 2]: a line that begins with grey is upside down."""
    model = parsed(
        """<ir_version: 8, opset_import: ["" : 18]>
        orientation (float[N, 3, free, free] x) => (float[N, 2] y)
        <int64[1] begin = {0}, int64[1] end = {8}, int64[1] across = {3}, int64[3] all = {1, 2, 3},
         int64[1] last = {1}, float[1, 2] weight = {100.0, 0.0}, float[2] bias = {-10.0, 0.0}>
        { first = Slice (x, begin, end, across)
          far = Abs (first)
          mean = ReduceMean <keepdims = 0> (far, all)
          column = Unsqueeze (mean, last)
          scaled = Mul (column, weight)
          logits = Add (scaled, bias)
          y = Softmax <axis = 1> (logits) }"""
    )
    for dim in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        dim.dim_param = "?"  # as paddle2onnx writes it
    return save(model, path)


def dictionary(path: Path, characters: str = CHARACTERS) -> Path:
    """Write a dictionary, one character a line."""
    path.write_text("".join(f"{each}\n" for each in characters), "utf-8")
    return path


def write_line(path: Path, text: str, *, height: int = 48, column: int = COLUMN) -> Path:
    """Write an image of a line: a column of each character's colour, and a grey one after it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.repeat([colour for each in text for colour in (COLOURS[each], GREY)], column, axis=0)
    Image.fromarray(np.broadcast_to(pixels.astype(np.uint8), (height, *pixels.shape))).save(path)
    return path


def write_page(
    path: Path, lines: dict[str, tuple[int, int]], size: tuple[int, int] = (320, 192), turned: str = ""
) -> Path:
    """Write an image of lines 48 pixels high, each at its upper left corner, one upside down; the rest is black."""
    page = Image.new("RGB", size)
    for text, place in lines.items():
        line = Image.open(write_line(path.with_suffix(".line.png"), text))
        page.paste(line.rotate(180) if text == turned else line, place)
        path.with_suffix(".line.png").unlink()
    page.save(path)
    return path


def line_detector(path: Path, boxes: list[tuple[int, int, int, int]], size: tuple[int, int] = (320, 192)) -> Path:
    """Write a detector that finds these boxes in any image; the lighter the image, the higher the scores."""
    crowd_detector(path, len(boxes), f"{size[1]},{size[0]}")
    model = onnx.load(path)
    (rows,) = (each for each in model.graph.initializer if each.name == "rows")
    values = onnx.numpy_helper.to_array(rows).copy()
    values[0, :, :4] = boxes
    rows.CopyFrom(onnx.numpy_helper.from_array(values, "rows"))
    onnx.helper.set_model_props(model, {"task": "detect", "names": "{0: 'line'}", "args": "{'nms': True}"})
    return save(model, path)
