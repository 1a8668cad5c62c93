"""Weights kept in files beside the model: refused unless they are there, whole, and inside its folder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError

if TYPE_CHECKING:
    import onnx


def check_external_data(proto: onnx.ModelProto, path: Path) -> int:
    """Return the bytes of external data that the model at `path` refers to, without the model's own file.

    Raises:
        WebbuildError: `external-data-outside`, `external-data-missing`, `external-data-linked` or
            `external-data-truncated`.
    """
    files: dict[Path, int] = {}
    for tensor in _external_tensors(proto.graph):
        entries = {entry.key: entry.value for entry in tensor.external_data}
        file = _locate(path, tensor.name, entries.get("location", ""))
        size = files.setdefault(file, file.stat().st_size)
        end = _number(entries.get("offset")) + max(_number(entries.get("length")), tensor_bytes(tensor))
        if end > size:
            raise WebbuildError(
                "external-data-truncated",
                f"{path}: tensor '{tensor.name}' ends at byte {end} of '{file.name}', which has {size}",
                "copy the data file again, or export the model again",
            )
    return sum(size for file, size in files.items() if file != path.resolve())


def _locate(path: Path, tensor: str, location: str) -> Path:
    folder = path.parent.resolve()
    file = (folder / location).resolve()
    if not location or not file.is_relative_to(folder):
        raise WebbuildError(
            "external-data-outside",
            f"{path}: tensor '{tensor}' asks for data at '{location}', outside the model's folder",
            "keep the data file beside the model, and the location relative to it",
        )
    if not file.is_file():
        raise WebbuildError(
            "external-data-missing",
            f"{path}: tensor '{tensor}' is kept in '{location}', which is not there",
            f"put '{location}' beside '{path.name}'",
        )
    if file.stat().st_nlink > 1:  # the ONNX libraries take such a file for an attack
        raise WebbuildError(
            "external-data-linked",
            f"{path}: tensor '{tensor}' is kept in '{location}', a file with several hard links",
            "put a copy of its own in its place",
        )
    return file


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


def tensor_bytes(tensor: onnx.TensorProto) -> int:
    """Return the size that a tensor's type and shape ask for, whatever its entries say; 0 for a type without one."""
    import onnx_ir as ir

    try:
        return math.ceil(math.prod(tensor.dims) * ir.DataType(tensor.data_type).bitwidth / 8)
    except (ValueError, TypeError):
        return 0


def _external_tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Yield every tensor of the graph, and of the graphs inside it, that is kept outside the file."""
    for tensor in graph.initializer:
        if tensor.data_location == tensor.EXTERNAL:
            yield tensor
    for node in graph.node:
        for attribute in node.attribute:
            for tensor in (attribute.t, *attribute.tensors):
                if tensor.data_location == tensor.EXTERNAL:
                    yield tensor
            for subgraph in (attribute.g, *attribute.graphs):
                yield from _external_tensors(subgraph)
