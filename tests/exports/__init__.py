"""Complete exports of every detection head, as small as possible, made by `models.exports`: real graphs with random
weights.
"""

from __future__ import annotations

import math
from pathlib import Path
from zlib import crc32

import numpy as np
import onnx
from onnx import numpy_helper

FOLDER = Path(__file__).parent
NAMES = sorted(file.relative_to(FOLDER).with_suffix("").as_posix() for file in FOLDER.glob("*/*.onnx"))
"""Such as `ultralytics-8.3.120-torchscript/pose-nms`."""


def restored(name: str) -> onnx.ModelProto:
    """Return an export with its weights: normal noise, always the same for a name and a shape.

    Its variance is twice He's, so that the scores spread over 0..1.
    """
    model = onnx.load(FOLDER / f"{name}.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            shape = tuple(tensor.dims)
            noise = np.random.default_rng(crc32(tensor.name.encode())).standard_normal(shape)
            scaled = (noise * math.sqrt(4 / max(1, math.prod(shape[1:])))).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(scaled, tensor.name))
    return model


def write(name: str, folder: Path) -> Path:
    """Write an export with its weights to a folder, and return the file."""
    path = folder / f"{Path(name).name}.onnx"
    onnx.save(restored(name), path)
    return path
