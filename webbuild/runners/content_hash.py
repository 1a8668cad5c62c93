"""Hashes of everything that an answer depends on: graph, weights, inputs, engine, processor, and this code."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import webbuild
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx


def hash_parts(*parts: str) -> str:
    """Return a hash of texts in their order."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def hash_tensors(tensors: Tensors) -> str:
    """Return a hash of tensors and their names."""
    digest = hashlib.sha256()
    for name, array in sorted(tensors.items()):
        digest.update(f"{name!r} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def hash_model(path: Path, data: bytes | None = None) -> str:
    """Return a hash of a model and of all files that hold its weights.

    Args:
        path: of the model; its external data lies beside it.
        data: the graph, if it is another one than that in the file.
    """
    import onnx

    model = onnx.load(path, load_external_data=False) if data is None else onnx.load_from_string(data)
    graph = _hash_file(path) if data is None else hashlib.sha256(data).hexdigest()
    folder = path.resolve().parent
    bodies: list[Iterable[onnx.NodeProto]] = [model.graph.node, *(each.node for each in model.functions)]
    places = {*_external_files(model.graph.initializer), *(file for nodes in bodies for file in _of_nodes(nodes))}
    return hash_parts(graph, *(f"{file} {_hash_file(folder / file)}" for file in sorted(places)))


@cache
def hash_environment() -> str:
    """Return a hash of the engine, the processor and webbuild's code: what computes an answer, besides the graph."""
    import onnxruntime

    folder = Path(webbuild.__file__).parent
    code = (f"{file.relative_to(folder)} {_hash_file(file)}" for file in sorted(folder.rglob("*.py")))
    versions = (webbuild.__version__, onnxruntime.__version__, np.__version__)
    return hash_parts(*versions, *_processor(), str(os.cpu_count()), *code)


def _processor() -> tuple[str, ...]:
    """Return the CPU model and features, which decide how kernels round."""
    about = (platform.machine(), platform.processor())
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return about
    return (*about, *sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


def _of_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[str]:
    """Yield the files of the tensors in attributes, those of inner graphs too."""
    for attribute in (attribute for node in nodes for attribute in node.attribute):
        yield from _external_files([attribute.t, *attribute.tensors])
        for graph in (attribute.g, *attribute.graphs):
            yield from _external_files(graph.initializer)
            yield from _of_nodes(graph.node)


def _external_files(tensors: Iterable[onnx.TensorProto]) -> Iterator[str]:
    for tensor in tensors:
        if tensor.data_location == tensor.EXTERNAL:
            yield from (entry.value for entry in tensor.external_data if entry.key == "location")


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
