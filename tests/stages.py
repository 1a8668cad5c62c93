"""Models of several stages: an image encoder, and decoders that take its output and a vector."""

from __future__ import annotations

from pathlib import Path

import onnx

from tests.models import HEADER, parsed, save, weights

ENCODER = f"""{HEADER}
encoder (float[1,3,32,32] image) => (float[1,8,8,8] embedding, float[1,4,16,16] detail)
{{
  halved = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (image, w1)
  detail = Relu (halved)
  quartered = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (detail, w2)
  embedding = HardSwish (quartered)
}}
"""
DECODER = f"""{HEADER}
decoder (float[1,8,8,8] embedding, float[1,4,16,16] detail, float[1,8] vector)
  => (float[1,4,16,16] masks, float[1,8] scores)
{{
  shape = Constant <value_ints = [1, 8, 1, 1]> ()
  factors = Reshape (vector, shape)
  chosen = Mul (embedding, factors)
  scales = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> ()
  enlarged = Resize <mode = "nearest"> (chosen, , scales)
  mixed = Conv <kernel_shape = [1, 1]> (enlarged, w3)
  masks = Add (mixed, detail)
  pooled = GlobalAveragePool (chosen)
  flat = Flatten (pooled)
  scores = Sigmoid (flat)
}}
"""
WEIGHTS = {
    "w1": (4, 3, 3, 3), "w2": (8, 4, 3, 3), "w3": (4, 8, 1, 1), "w4": (8, 3, 8, 8), "w5": (8, 8, 2, 2), "w6": (2, 8),
    "w7": (4, 8, 1, 1), "w8": (8, 4, 1, 1),
}  # fmt: skip


def stage(text: str, path: Path) -> Path:
    """Write a model from this text with its weights."""
    proto = parsed(text)
    for seed, (name, shape) in enumerate(WEIGHTS.items()):
        if f"{name})" in text:
            proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(*shape, seed=seed), name))
    return save(proto, path)


def pair(folder: Path, encoder: str = ENCODER, decoder: str = DECODER) -> tuple[Path, Path]:
    """Write the encoder and the decoder."""
    return stage(encoder, folder / "toy_encoder.onnx"), stage(decoder, folder / "toy_decoder.onnx")
