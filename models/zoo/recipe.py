"""The zoo's contents: base networks, their exports, and the conversions of the exports."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SOURCES = ("timm_models", "torchvision_models", "transformers_text", "transformers_vision", "nhwc_graphs", "audio",
           "ultralytics_models", "restoration", "inpainting", "dense_maps", "plain_networks",
           "video_networks", "choices", "matting", "upscaling", "segment_anything", "segment_anything_encoders",
           "swinir")  # fmt: skip
"""The modules of this package that have a table `BASES`."""


@dataclass(frozen=True)
class Example:
    """A network in evaluation mode, ready to be exported."""

    network: Any
    """A torch module, its arguments in the order of `inputs`; a graph written node by node; or an `Exporter`."""
    inputs: dict[str, Any]
    """One realistic tensor for every input, by name."""
    outputs: Sequence[str] = ("output",)
    free: dict[str, dict[int, str]] = field(default_factory=dict)
    """The dynamic axes of inputs and outputs in the exports named `free`, by name."""


@dataclass(frozen=True)
class Base:
    """A network and its variants.

    `exports` and `conversions` are words: `ts17` is the TorchScript exporter at opset 17, `dynamo18-free` is the
    dynamo exporter at opset 18 with dynamic axes, `ultralytics17-nms` is Ultralytics' own exporter at 17 with NMS,
    `tf2onnx` is a graph written node by node, like tf2onnx's exports. A conversion is a key of
    `conversions.CONVERSIONS`, or several joined by `+`, and starts from the first export, or from another as in
    `ts17-free:slim`.
    """

    build: Callable[[], Example]
    exports: str = "ts17"
    conversions: str = ""


@dataclass(frozen=True)
class Recipe:
    """One model of the zoo."""

    source: str
    base: str
    export: str
    conversion: str = ""

    @property
    def name(self) -> str:
        """The file's name without its extension, such as `resnet10t.ts17.slim+fp16`."""
        return ".".join(filter(None, (self.base, self.export, self.conversion)))


def bases() -> dict[str, tuple[str, Base]]:
    """Return the source and the base of every name."""
    found: dict[str, tuple[str, Base]] = {}
    for source in SOURCES:
        table: dict[str, Base] = importlib.import_module(f"models.zoo.{source}").BASES
        if twice := found.keys() & table.keys():
            raise ValueError(f"{source} has {', '.join(sorted(twice))}, which another source has too")
        found |= {name: (source, base) for name, base in table.items()}
    return found


def recipes(source: str, name: str, base: Base) -> Iterator[Recipe]:
    """Yield a base's exports, then its conversions."""
    exports = base.exports.split()
    for export in exports:
        yield Recipe(source, name, export)
    for word in base.conversions.split():
        start, _, conversion = word.rpartition(":")
        yield Recipe(source, name, start or exports[0], conversion)
