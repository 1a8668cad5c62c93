"""Small models, made from text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray

HEADER = '<ir_version: 8, opset_import: ["" : 18]>'

CONVOLUTION = f"""{HEADER}
small (float[1,3,8,8] x) => (float[1,4,8,8] y)
<float[4] bias = {{0.1, 0.2, 0.3, 0.4}}>
{{
  a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, weight, bias)
  y = Relu (a)
}}
"""


def parsed(text: str) -> onnx.ModelProto:
    model: onnx.ModelProto = onnx.parser.parse_model(text)
    return model


def weights(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def convolution(seed: int = 0, metadata: dict[str, str] | None = None) -> onnx.ModelProto:
    """Return a Conv and a Relu with random weights [4, 3, 3, 3]."""
    model = parsed(CONVOLUTION)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(4, 3, 3, 3, seed=seed), "weight"))
    onnx.helper.set_model_props(model, metadata or {})
    return model


def save(model: onnx.ModelProto, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())
    return path


def save_external(model: onnx.ModelProto, path: Path, location: str) -> Path:
    """Save a model with its initializers in the file `location` next to it."""
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=0)
    return path


def as_ir(text: str) -> ir.Model:
    return ir.from_onnx_text(text)


def detector(classes: int = 2, extra: int = 0, metadata: dict[str, str] | None = None) -> onnx.ModelProto:
    """Return a detector without post-processing: [1, 3, 32, 32] to [1, 4 + classes + extra, 64], with random weights.

    Its boxes are in the middle of the image, and its scores cover the whole range.
    """
    numbers = 4 + classes + extra
    text = f"""{HEADER} detector (float[1,3,32,32] images) => (float[1,{numbers},64] output0)
    <int64[3] flat = {{1, {numbers}, 64}}>
    {{
      a = Conv <kernel_shape = [4, 4], strides = [4, 4]> (images, weight, bias)
      b = Sigmoid (a)
      c = Reshape (b, flat)
      d = Mul (c, scale)
      output0 = Add (d, offset)
    }}"""
    model = parsed(text)
    scale, offset = np.ones((numbers, 1), np.float32), np.zeros((numbers, 1), np.float32)
    scale[:4], scale[4 + classes :], offset[:2] = 16, 32, 8
    tensors = {"weight": weights(numbers, 3, 4, 4), "bias": weights(numbers, seed=1) - 1}
    tensors |= {"scale": scale, "offset": offset}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    onnx.helper.set_model_props(model, metadata or {})
    return model


DETECT = {"task": "detect", "names": "{0: 'cup', 1: 'dog'}", "args": "{'nms': None}", "end2end": "False"}
"""The metadata that an exporter writes for a detector without post-processing."""


def grid_detector(anchors: int, numbers: int) -> onnx.ModelProto:
    """Return a detector of rows, [1, 3, 32, 32] to [1, anchors, numbers]: offsets around 0, scores around 0.5."""
    text = f"""{HEADER} grid (float[1,3,32,32] images) => (float[1,{anchors},{numbers}] output)
    <int64[2] flat = {{1, 128}}, int64[3] rows = {{1, {anchors}, {numbers}}}>
    {{
      a = Conv <kernel_shape = [8, 8], strides = [8, 8]> (images, weight)
      b = Tanh (a)
      c = Reshape (b, flat)
      d = MatMul (c, mixing)
      e = Reshape (d, rows)
      f = Tanh (e)
      output = Add (f, offset)
    }}"""
    model = parsed(text)
    offset = np.zeros(numbers, np.float32)
    offset[2:4], offset[4:] = 1.5, 1
    tensors = {
        "weight": weights(8, 3, 8, 8) * 0.01,
        "mixing": weights(128, anchors * numbers, seed=1) * 0.2,
        "offset": offset,
    }
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model


def focus_network(pictures: int = 3, height: int = 32, width: int = 48) -> onnx.ModelProto:
    """Return classical depth from focus: the depth of a pixel is the distance of the image in which it is sharpest.

    `stack` [1, images, 3, height, width] and `focus_distances` [1, images] to `depth` and `confidence`, maps of the
    images' size: the squared Laplacian, averaged over a volume, under a softmax over the images.
    """
    stack, maps = f"1,{pictures},3,{height},{width}", f"1,{height},{width}"
    text = f"""{HEADER} focus (float[{stack}] stack, float[1,{pictures}] focus_distances)
      => (float[{maps}] depth, float[{maps}] confidence)
    <int64[4] flat = {{{pictures}, 3, {height}, {width}}}, int64[5] volume = {{1, 1, {pictures}, {height}, {width}}},
     int64[1] one = {{1}}, int64[2] last = {{2, 3}}>
    {{
      a = Reshape (stack, flat)
      b = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a, laplacian)
      c = Mul (b, b)
      d = Reshape (c, volume)
      e = Conv <kernel_shape = [3, 9, 9], pads = [1, 4, 4, 1, 4, 4]> (d, average)
      f = Squeeze (e, one)
      shares = Softmax <axis = 1> (f)
      g = Unsqueeze (focus_distances, last)
      h = Mul (shares, g)
      depth = ReduceSum <keepdims = 0> (h, one)
      confidence = ReduceMax <keepdims = 0> (shares, one)
    }}"""
    model = parsed(text)
    laplacian = np.broadcast_to(np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], np.float32), (1, 3, 3, 3))
    average: NDArray[np.float32] = np.broadcast_to(np.array([0.1, 1, 0.1], np.float32)[:, None, None], (1, 1, 3, 9, 9))
    tensors: dict[str, NDArray[np.float32]] = {"laplacian": laplacian.copy(), "average": average.copy()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model


def matting_network(
    output: str = "alphas", height: int = 32, width: int = 48, activation: str = "Sigmoid"
) -> onnx.ModelProto:
    """Return a network with alpha computed from the red-minus-blue difference and the brightness around a pixel."""
    return parsed(f"""{HEADER} matting (float[1,3,{height},{width}] picture) => (float[1,1,{height},{width}] {output})
    <float[1,3,1,1] redness = {{4.0, 2.0, -6.0}}>
    {{
      a = Conv (picture, redness)
      b = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)
      {output} = {activation} (b)
    }}""")
