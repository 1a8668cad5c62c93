"""A trap: a graph in ONNX's text format, `*.onnx.txt`, and its feeds.

Comments at the top describe the problem (`# what.`), its source (`# source:`), and the feeds:
`# feed NAME: uniform LOW HIGH`, `integers LOW HIGH` or `values ...`. By default floats are normally distributed,
integers 0 and bools random. `# kept:` says why no rewrite moves it to the GPU, `# undefined:` why no result is defined.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from numpy.typing import NDArray

FOLDER = Path(__file__).parent
_SUFFIX = ".onnx.txt"


class Trap(Struct, frozen=True):
    """A graph, its comments, and its feeds, the same in every run."""

    name: str
    what: str
    source: str
    model: onnx.ModelProto
    feeds: dict[str, NDArray[Any]]
    kept: str = ""
    undefined: str = ""


def load_traps(only: str = "") -> list[Trap]:
    """Return every trap whose name contains `only`."""
    return [_read(path) for path in sorted(FOLDER.glob(f"*{_SUFFIX}")) if only in path.name]


def _read(path: Path) -> Trap:
    lines = path.read_text("utf-8").splitlines()
    said = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    rules = dict(line.removeprefix("feed ").split(": ", 1) for line in said if line.startswith("feed "))
    source, kept, undefined = (_told(said, key) for key in ("source", "kept", "undefined"))
    if not source:
        raise ValueError(f"{path.name} has no source")
    model = onnx.parser.parse_model("\n".join(line for line in lines if not line.startswith("#")))
    feeds = {value.name: _feed(value, rules.get(value.name, "")) for value in model.graph.input}
    return Trap(path.name.removesuffix(_SUFFIX), said[0].rstrip("."), source, model, feeds, kept, undefined)


def _told(lines: list[str], key: str) -> str:
    return next((line.removeprefix(f"{key}: ") for line in lines if line.startswith(f"{key}: ")), "")


def _feed(value: onnx.ValueInfoProto, rule: str) -> NDArray[Any]:
    kind = value.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
    shape = [dim.dim_value for dim in kind.shape.dim]
    generator = np.random.default_rng(zlib.crc32(value.name.encode()))
    how, *numbers = rule.split() or [
        "normal" if dtype.kind == "f" else "integers",
        "0",
        "1" if dtype.kind == "b" else "0",
    ]
    match how:
        case "values":
            return np.array([float(number) for number in numbers]).astype(dtype).reshape(shape)
        case "uniform":
            return generator.uniform(float(numbers[0]), float(numbers[1]), shape).astype(dtype)
        case "integers":
            return generator.integers(int(numbers[0]), int(numbers[1]), shape, endpoint=True).astype(dtype)
        case "normal":
            return generator.standard_normal(shape).astype(dtype)
    raise ValueError(f"{value.name}: no such feed: {rule}")
