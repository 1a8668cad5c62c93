"""Small detection, segmentation and rotated-box models, wired by hand: detections follow from the image."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray

from tests.models import HEADER, parsed

Rows = list[list[float]]

METADATA = {"names": "{0: 'cup', 1: 'plate'}", "args": "{'nms': True}"}

ROWS = """
  mean = ReduceMean <keepdims = 0> (images)
  moved = Mul (mean, {name}_step)
  {name} = Add ({name}_start, moved)
"""
"""Every number of the rows changes with the image's brightness."""

SEGMENTS = f"""{HEADER}
segments (float[1,3,64,64] images) => (float[1,4,8] output0, float[1,2,16,16] output1)
{{
  {ROWS.format(name="output0")}
  output1 = Conv <kernel_shape = [4, 4], strides = [4, 4]> (images, weight, bias)
}}
"""

OBJECTS = f"""{HEADER}
objects (float[1,3,64,64] images) => (float[1,4,7] output0)
{{
  {ROWS.format(name="output0")}
}}
"""


REMEMBERED = f"""{HEADER}
remembered (float[1,3,64,64] images, float[1,1,1] state) => (float[1,4,6] output0, float[1,1,1] stateN)
<float half = {{0.5}}>
{{
  seen = ReduceMean <keepdims = 0> (images)
  before = Mul (state, half)
  stateN = Add (before, seen)
  moved = Mul (stateN, output0_step)
  output0 = Add (output0_start, moved)
}}
"""


def remembered() -> onnx.ModelProto:
    """Return a detector of three objects at positions that depend on the frames so far; two in a dark frame."""
    start: Rows = [[4, 8, 30, 40, 0.8, 0], [30, 20, 60, 55, 0.7, 1], [2, 45, 40, 62, -0.05, 0], [0] * 6]
    step: Rows = [[3, 1, 4, 1, 0.05, 0], [1, 2, 1, 2, 0.05, 0], [1, 1, 1, 1, 0.4, 0], [0] * 6]
    return _with_rows(REMEMBERED, start, step, task="detect")


def segments() -> onnx.ModelProto:
    """Return a model of two prototypes, darkness and redness, and three objects: dark, red, and not dark."""
    weight = np.zeros((2, 3, 4, 4), np.float32)
    weight[0] = -1 / 48
    weight[1, 0], weight[1, 2] = 1 / 16, -1 / 16
    start: Rows = [
        [4, 8, 30, 40, 0.8, 0, 1, 0],
        [30, 20, 60, 55, 0.6, 1, 0, 1],
        [2, 30, 40, 62, 0.4, 0, -1, 0],
        [0] * 8,
    ]
    step: Rows = [[3, 1, 4, 1, 0.1, 0, 0, 0], [1, 2, 1, 2, 0.1, 0, 0, 0], [1, 1, 1, 1, 0.1, 0, 0, 0], [0] * 8]
    model = _with_rows(SEGMENTS, start, step, task="segment")
    model.graph.initializer.extend(
        [onnx.numpy_helper.from_array(weight, "weight"), _constant("bias", np.array([0.6, -0.2]))]
    )
    return model


def objects() -> onnx.ModelProto:
    """Return a model of three rotated boxes, one of them partly outside the image."""
    start: Rows = [[20, 30, 24, 10, 0.8, 0, 0.3], [45, 30, 20, 20, 0.6, 1, -0.6], [4, 50, 30, 6, 0.4, 0, 1.4], [0] * 7]
    step: Rows = [[4, 2, 3, 1, 0.1, 0, 0.5], [1, 2, 1, 2, 0.1, 0, 0.1], [1, 1, 1, 1, 0.1, 0, 0.3], [0] * 7]
    return _with_rows(OBJECTS, start, step, task="obb")


def _with_rows(text: str, start: Rows, step: Rows, *, task: str) -> onnx.ModelProto:
    model = parsed(text)
    for name, rows in (("output0_start", start), ("output0_step", step)):
        model.graph.initializer.append(_constant(name, np.array(rows)[None]))
    onnx.helper.set_model_props(model, {**METADATA, "task": task})
    return model


def _constant(name: str, values: NDArray[np.float64]) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(values.astype(np.float32), name)
