"""Models of the zoo without their weights, small enough for a repository: python -m benchmarks.zoo.stored ZOO NAME...

The graph is real; each large tensor of floats or bytes is replaced by noise with the same mean, standard deviation,
minimum and maximum, and so is each such input. The noise depends only on the name and the shape.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
import onnx
import zstandard
from msgspec import Struct
from numpy.typing import NDArray
from onnx import numpy_helper

STORED = Path(__file__).parents[2] / "tests" / "zoo"
_SMALL = 32
"""Largest number of elements of a tensor that is stored unchanged: sizes, scales, thresholds."""


class Noise(Struct, frozen=True):
    """The noise that replaces an array; `values` if it is stored unchanged."""

    shape: tuple[int, ...]
    dtype: str
    mean: float = 0.0
    deviation: float = 0.0
    ends: tuple[float, float] = (0.0, 0.0)
    values: list[float | int | bool] | None = None

    @classmethod
    def like(cls, array: NDArray[Any]) -> Noise:
        """Return noise like an array; indices, sizes and small arrays stay unchanged."""
        if not _is_noise(array):
            return cls(array.shape, array.dtype.name, values=array.ravel().tolist())
        wide = array.astype(np.float64)
        four = (float(f"{value:.4g}") for value in (wide.mean(), wide.std(), wide.min(), wide.max()))
        mean, deviation, low, high = four
        return cls(array.shape, array.dtype.name, mean, deviation, (low, high))

    def draw(self, name: str) -> NDArray[Any]:
        """Return an array of noise, or the stored values."""
        if self.values is not None:
            return np.array(self.values, self.dtype).reshape(self.shape)
        drawn = np.random.default_rng(crc32(name.encode())).normal(self.mean, self.deviation, self.shape)
        drawn = drawn.clip(*self.ends)
        return (np.rint(drawn) if np.dtype(self.dtype).kind in "iu" else drawn).astype(self.dtype)


def _is_noise(array: NDArray[Any]) -> bool:
    """Whether an array is large and has floats or quantized bytes."""
    return array.size > _SMALL and (array.dtype.kind == "f" or array.dtype in (np.int8, np.uint8))


class StoredModel(Struct, frozen=True):
    """A model whose large tensors are noise, and its example."""

    model: bytes
    weights: dict[str, Noise]
    example: dict[str, Noise]


def store(path: Path) -> bytes:
    """Return a model of the zoo without its weights, compressed."""
    model = onnx.load(path)
    weights = {}
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if _is_noise(array):
            weights[tensor.name] = Noise.like(array)
            tensor.CopyFrom(numpy_helper.from_array(np.zeros(0, array.dtype), tensor.name))
    with np.load(path.with_suffix(".npz")) as example:
        inputs = {name: Noise.like(example[name]) for name in example.files}
    return zstandard.compress(msgspec.msgpack.encode(StoredModel(model.SerializeToString(), weights, inputs)), 19)


def restore(file: Path, folder: Path) -> None:
    """Write a stored model and its example in the zoo's file format."""
    stored = msgspec.msgpack.decode(zstandard.decompress(file.read_bytes()), type=StoredModel)
    model = onnx.load_from_string(stored.model)
    for tensor in model.graph.initializer:
        if tensor.name in stored.weights:
            tensor.CopyFrom(numpy_helper.from_array(stored.weights[tensor.name].draw(tensor.name), tensor.name))
    name = file.name.removesuffix(".zst")
    onnx.save(model, folder / f"{name}.onnx")
    np.savez(folder / f"{name}.npz", **{key: noise.draw(key) for key, noise in stored.example.items()})  # type: ignore[arg-type]


def main() -> None:
    """Store models of a zoo."""
    zoo, *names = sys.argv[1:]
    STORED.mkdir(exist_ok=True)
    for name in names:
        file = STORED / f"{name}.zst"
        file.write_bytes(store(Path(zoo) / f"{name}.onnx"))
        print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
