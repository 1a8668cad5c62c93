"""A detector of people, and a small model with keypoints of crops."""

from __future__ import annotations

from pathlib import Path

import onnx

from tests.models import HEADER, parsed, save, weights

DETECTOR = Path(__file__).parents[1] / "models" / "yolo-pose.onnx"
KEYPOINTS = f"""{HEADER}
keypoints (float[N,3,16,12] input) => (float[N,3,24] simcc_x, float[N,3,32] simcc_y)
{{
  reduced = Conv <kernel_shape = [1, 1]> (input, w)
  rows = Constant <value_ints = [2]> ()
  columns = Constant <value_ints = [3]> ()
  across = ReduceMean <keepdims = 0> (reduced, rows)
  down = ReduceMean <keepdims = 0> (reduced, columns)
  left = Neg (across)
  upper = Neg (down)
  simcc_x = Concat <axis = 2> (left, across)
  simcc_y = Concat <axis = 2> (upper, down)
}}
"""


def keypoints(folder: Path, batch: str = "N") -> Path:
    """Write a model of SimCC vectors."""
    proto = parsed(KEYPOINTS.replace("N,", f"{batch},"))
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(3, 3, 1, 1, seed=1), "w"))
    return save(proto, folder / "tiny-rtmpose.onnx")
