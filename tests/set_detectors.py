"""Small set-prediction detectors with random weights, with the inputs and outputs that exporters write."""

from __future__ import annotations

import numpy as np
import onnx

from tests.models import parsed, weights

SIDE, QUERIES, CLASSES, ROWS = 32, 16, 3, 12

_BODY = """
  features = Conv <kernel_shape = [4, 4], strides = [4, 4], dilations = [1, 1]> (PICTURE, weight, bias)
  pooled = AveragePool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (features)
  flat = Reshape (pooled, sixteen)
  table = Transpose <perm = [0, 2, 1]> (flat)
  raw, logits = Split <axis = 2> (table, parts)
  unit = Sigmoid (raw)
  wide = Cast <to = 11> (unit)
  grown = Mul (wide, half)
  shifted = Add (grown, quarter)
"""
"""Boxes in the middle of the image, computed through float64; a mean that rounds its size up, without effect."""

_WEIGHTS = f"""
<int64[3] sixteen = {{0, {4 + CLASSES}, {QUERIES}}}, int64[2] parts = {{4, {CLASSES}}}, double half = {{0.5}},
 double quarter = {{0.25}}, int64[1] rows = {{{ROWS}}}, int64 classes = {{{CLASSES}}}, int64[2] twice = {{1, 2}},
 int64[1] one = {{1}}, int64[1] two = {{2}}, int64[3] four = {{1, 1, 4}}, int64[2] halves = {{2, 2}},
 float middle = {{0.5}}>
"""


def rt_detr(boxes: float = 1.0, scores: float = 1.0, *, height_first: bool = False) -> onnx.ModelProto:
    """Return `images` [N, 3, 32, 32] and `orig_target_sizes` [N, 2] to labels, boxes and scores of 12 rows.

    `boxes` multiplies the corners, and `scores` the logits: with 0 all are the same. The size is width and height, or
    height and width with `height_first`.
    """
    order = "1, 0" if height_first else "0, 1"
    text = f"""<ir_version: 8, opset_import: ["" : 16]>
    rt_detr (float[N,3,{SIDE},{SIDE}] images, int64[N,2] orig_target_sizes)
      => (int64[N,{ROWS}] labels, float[N,{ROWS},4] boxes, float[N,{ROWS}] scores)
    {_WEIGHTS.replace(">", f", int64[2] order = {{{order}}}>")}
    {{ {_BODY.replace("PICTURE", "images")}
      ratio = Cast <to = 1> (shifted)
      centre, size = Split <axis = 2> (ratio, halves)
      reach = Mul (size, middle)
      low = Sub (centre, reach)
      high = Add (centre, reach)
      joined = Concat <axis = -1> (low, high)
      corners = Mul (joined, boxes_factor)
      ordered = Gather <axis = 1> (orig_target_sizes, order)
      repeated = Tile (ordered, twice)
      more = Unsqueeze (repeated, one)
      factor = Cast <to = 1> (more)
      scaled = Mul (corners, factor)
      weighted = Mul (logits, scores_factor)
      probabilities = Sigmoid (weighted)
      all = Flatten <axis = 1> (probabilities)
      scores, index = TopK <axis = -1> (all, rows)
      labels = Mod (index, classes)
      query = Div (index, classes)
      place = Unsqueeze (query, two)
      places = Tile (place, four)
      boxes = GatherElements <axis = 1> (scaled, places)
    }}"""
    return _weighted(text, {"boxes_factor": boxes, "scores_factor": scores})


def detr() -> onnx.ModelProto:
    """Return `pixel_values` and `pixel_mask` to `logits` and `pred_boxes`, with dynamic image sizes."""
    text = f"""<ir_version: 8, opset_import: ["" : 16]>
    detr (float[batch_size,num_channels,height,width] pixel_values, int64[batch_size,{SIDE},{SIDE}] pixel_mask)
      => (float[batch_size,{QUERIES},{CLASSES}] logits, float[batch_size,{QUERIES},4] pred_boxes)
    {_WEIGHTS}
    {{ {_BODY.replace("PICTURE", "pixel_values")}
      ratio = Cast <to = 1> (shifted)
      mask = Cast <to = 1> (pixel_mask)
      share = ReduceMean <axes = [1, 2], keepdims = 0> (mask)
      pred_boxes = Mul (ratio, share)
    }}"""
    return _weighted(text, {})


def _weighted(text: str, factors: dict[str, float]) -> onnx.ModelProto:
    model = parsed(text)
    tensors = {"weight": weights(4 + CLASSES, 3, 4, 4) * 0.3, "bias": weights(4 + CLASSES, seed=1)}
    tensors |= {name: np.array(factor, np.float32) for name, factor in factors.items()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model
