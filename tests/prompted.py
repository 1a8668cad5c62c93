"""Small detectors with a prompt and random weights, with the inputs and outputs that exporters write."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx

from tests.models import parsed, save, weights

SIDE, QUERIES, DEPTH, PIECES = 32, 16, 6, 40
WORDS = Path(__file__).parents[1] / "conformance" / "tokenizer"

_BODY = """
  features = Conv <kernel_shape = [8, 8], strides = [8, 8]> (PICTURE, weight, bias)
  flat = Reshape (features, sixteen)
  table = Transpose <perm = [0, 2, 1]> (flat)
  raw, seen = Split <axis = 2> (table, parts)
  BOXES = Sigmoid (raw)
  read = Gather <axis = 0> (pieces, input_ids)
  typed = Gather <axis = 0> (types, token_type_ids)
  words = Add (read, typed)
"""

_LOGITS = """
  across = Transpose <perm = [0, 2, 1]> (context)
  near = MatMul (seen, across)
  known = Unsqueeze (text, one)
  logits = Where (known, near, nothing)
"""

_CONSTANTS = f"""
<int64[3] sixteen = {{0, {4 + DEPTH}, {QUERIES}}}, int64[2] parts = {{4, {DEPTH}}}, int64[1] one = {{1}}>
"""


def transformers() -> onnx.ModelProto:
    """Return transformers' interface: a dynamic text length; an image mask scales the boxes."""
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    prompted (float[1,3,{SIDE},{SIDE}] pixel_values, int64[1,seq_len] input_ids, int64[1,seq_len] token_type_ids,
              int64[1,seq_len] attention_mask, int64[1,{SIDE},{SIDE}] pixel_mask)
      => (float[1,{QUERIES},seq_len] logits, float[1,{QUERIES},4] pred_boxes)
    {_CONSTANTS}
    {{ {_BODY.replace("PICTURE", "pixel_values").replace("BOXES", "ratio")}
      mask = Cast <to = 1> (pixel_mask)
      share = ReduceMean <axes = [1, 2], keepdims = 0> (mask)
      pred_boxes = Mul (ratio, share)
      text = Cast <to = 9> (attention_mask)
      context = Identity (words)
      {_LOGITS}
    }}"""
    return _weighted(text)


def original() -> onnx.ModelProto:
    """Return the original repository's interface: dynamic batch and length; position ids and a token mask."""
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    prompted (float[batch_size,3,{SIDE},{SIDE}] img, int64[batch_size,seq_len] input_ids,
              bool[batch_size,seq_len] attention_mask, int64[batch_size,seq_len] position_ids,
              int64[batch_size,seq_len] token_type_ids, bool[batch_size,seq_len,seq_len] text_token_mask)
      => (float[batch_size,{QUERIES},seq_len] logits, float[batch_size,{QUERIES},4] boxes)
    {_CONSTANTS}
    {{ {_BODY.replace("PICTURE", "img").replace("BOXES", "boxes")}
      placed = Gather <axis = 0> (places, position_ids)
      each = Add (words, placed)
      sight = Cast <to = 1> (text_token_mask)
      context = MatMul (sight, each)
      text = Identity (attention_mask)
      {_LOGITS}
    }}"""
    return _weighted(text)


def with_words(model: onnx.ModelProto, path: Path, *names: str) -> Path:
    """Save a model with a tokenizer next to it: `tokenizer.json`, `vocab.txt`, or both."""
    save(model, path)
    for name in names:
        shutil.copyfile(WORDS / name, path.parent / name)
    return path


def _weighted(text: str) -> onnx.ModelProto:
    model = parsed(text)
    tensors = {
        "weight": weights(4 + DEPTH, 3, 8, 8) * 0.2,
        "bias": weights(4 + DEPTH, seed=1),
        "pieces": weights(PIECES, DEPTH, seed=2),
        "types": weights(2, DEPTH, seed=3),
        "places": weights(256, DEPTH, seed=4),
        "nothing": np.array(-np.inf, np.float32),
    }
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model
