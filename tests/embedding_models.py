"""Small encoders of pictures: tokens of patches of 4 by 4 pixels, and the vector that they are pooled to."""

from __future__ import annotations

import onnx

from tests.models import HEADER, parsed, weights

SIZE, TOKENS = 12, 16


def encoder(outputs: str = "last_hidden_state", *, scale: float = 1.0) -> onnx.ModelProto:
    """Return an encoder of pictures of 16 by 16 pixels with random weights, times `scale`.

    `outputs` are `last_hidden_state`, tokens [1, 16, 12], `pooler_output` or `image_embeds`, a vector [1, 12].
    """
    shapes = {"last_hidden_state": f"[1,{TOKENS},{SIZE}]"}
    listed = ", ".join(f"float{shapes.get(name, f'[1,{SIZE}]')} {name}" for name in outputs.split())
    pooled = [f"{name} = ReduceMean <keepdims = 0> (mixed, middle)" for name in outputs.split() if name not in shapes]
    tokens = ["last_hidden_state = Identity (mixed)"] if "last_hidden_state" in outputs else []
    text = f"""{HEADER} encoder (float[1,3,16,16] pixel_values) => ({listed})
    <int64[3] flat = {{1, {SIZE}, {TOKENS}}}, int64[1] middle = {{1}}>
    {{
      patches = Conv <kernel_shape = [4, 4], strides = [4, 4]> (pixel_values, weight)
      rows = Reshape (patches, flat)
      tokens = Transpose <perm = [0, 2, 1]> (rows)
      bent = Tanh (tokens)
      mixed = MatMul (bent, mixing)
      {" ".join([*tokens, *pooled])}
    }}"""
    model = parsed(text)
    tensors = {"weight": 0.3 * weights(SIZE, 3, 4, 4), "mixing": scale * weights(SIZE, SIZE, seed=1)}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model
