"""A person detector, and small crop models: keypoints, classes, embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from tests.models import HEADER, detector, parsed, save, weights
from webbuild.tasks.recognition.crop_embedding_families import arcface_template

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


POOLED = f"""{HEADER}
pooled (float[N,3,HEIGHT,WIDTH] input) => (float[N,COUNT] OUTPUT)
{{
  small = AveragePool <kernel_shape = [CELL_H, CELL_W], strides = [CELL_H, CELL_W]> (input)
  flat = Flatten (small)
  OUTPUT = MatMul (flat, w)
}}
"""
CELLS = 4
"""Grid cells per side whose mean colours a pooled network reads."""


def pooled(path: Path, height: int, width: int, count: int, output: str, batch: str = "N") -> Path:
    """Write a network of channel means, [crops, 3, height, width] to [crops, count]."""
    sizes = {"HEIGHT": height, "WIDTH": width, "CELL_H": height // CELLS, "CELL_W": width // CELLS, "COUNT": count}
    text = POOLED.replace("OUTPUT", output).replace("N,", f"{batch},")
    for name, value in sizes.items():
        text = text.replace(name, str(value))
    proto = parsed(text)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(3 * CELLS**2, count, seed=2), "w"))
    return save(proto, path)


def classifier(folder: Path, batch: str = "N") -> Path:
    """Write a classifier that gives four logits."""
    return pooled(folder / "tiny-cls.onnx", 24, 24, 4, "logits", batch)


def embedding(folder: Path, height: int = 32, width: int = 16) -> Path:
    """Write an embedding network with the input shape for people, or for faces of 112 x 112."""
    return pooled(folder / "tiny-reid.onnx", height, width, 8, "vector")


def face_detector(folder: Path, metadata: dict[str, str] | None = None) -> Path:
    """Write a detector of faces with five keypoints each, with random weights."""
    known = {"task": "pose", "names": "{0: 'face'}", "kpt_shape": "[5, 3]", "stride": "32"}
    return save(detector(1, 15, known | (metadata or {})), folder / "tiny-face.onnx")


def landmarks(folder: Path) -> Path:
    """Write a regressor of five points, 0..1 over the crop: those of an aligned face, shifted by the mean colours."""
    path = pooled(folder / "tiny-pfld.onnx", 32, 32, 10, "moved")
    proto = onnx.load(path)
    output = proto.graph.output[0]
    weight = next(each for each in proto.graph.initializer if each.name == "w")
    weight.CopyFrom(onnx.numpy_helper.from_array(weights(3 * CELLS**2, 10, seed=3) * 0.05, "w"))
    places = np.asarray(arcface_template(112), np.float32).reshape(1, 10) / 112
    proto.graph.initializer.append(onnx.numpy_helper.from_array(places, "places"))
    proto.graph.node.append(onnx.helper.make_node("Add", ["moved", "places"], ["landmarks"]))
    output.name = "landmarks"
    return save(proto, path)


CROWD = f"""{HEADER}
crowd (float[1,3,SIDES] images) => (float[1,PEOPLE,6] output0)
{{
  axes = Constant <value_ints = [1, 2, 3]> ()
  mean = ReduceMean <keepdims = 1> (images, axes)
  one = Squeeze (mean, axes)
  moved = Mul (one, slopes)
  output0 = Add (moved, rows)
}}
"""


def crowd_detector(path: Path, people: int, sides: str = "64,64") -> Path:
    """Write a detector that finds this many people in any image: rows of a box, a score and a class.

    The lighter the image, the higher the scores.
    """
    proto = parsed(CROWD.replace("PEOPLE", str(people)).replace("SIDES", sides))
    rows, slopes = np.zeros((1, people, 6), np.float32), np.zeros((1, people, 6), np.float32)
    left, top = np.arange(people) % 40, np.arange(people) // 40
    rows[0, :, :4] = np.stack([left, top, left + 12, top + 20], axis=1)
    rows[0, :, 4] = np.linspace(0.9, 0.5, people)
    slopes[0, :, 4] = 0.09
    tensors = {"rows": rows, "slopes": slopes}
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    onnx.helper.set_model_props(proto, {"task": "detect", "names": "{0: 'person'}", "args": "{'nms': True}"})
    return save(proto, path)


def level_detector(path: Path, columns: dict[str, int], anchors: int) -> Path:
    """Write a face detector with separate outputs for strides, scores, boxes and keypoints, like YuNet and SCRFD.

    Each predicts its numbers from the mean colours of 64 x 64 pixels: `columns` gives their count, by output name.
    """
    outputs, nodes = list[str](), ["means = GlobalAveragePool (input)", "flat = Flatten (means)"]
    tensors = list[tuple[str, NDArray[Any]]]()
    for stride in (8, 16, 32):
        rows = anchors * (64 // stride) ** 2
        for name, count in columns.items():
            made = f"{name}_{stride}"
            outputs.append(f"float[1,{rows},{count}] {made}")
            nodes += [
                f"n_{made} = MatMul (flat, w_{made})",
                f"s_{made} = Sigmoid (n_{made})",
                f"{made} = Reshape (s_{made}, r_{made})",
            ]
            matrix = weights(3, rows * count, seed=len(tensors))
            shape = np.array([1, rows, count])
            tensors += [(f"w_{made}", matrix), (f"r_{made}", shape)]
    proto = parsed(f"{HEADER} g (float[1,3,64,64] input) => ({', '.join(outputs)}) {{ {chr(10).join(nodes)} }}")
    proto.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors)
    return save(proto, path)
