"""Hashes of everything that a model's outputs depend on: graph, weights, inputs, engine, CPU and webbuild's code."""

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
from webbuild.manifest.file_entry import file_hash
from webbuild.runners.tensors import Tensors

if TYPE_CHECKING:
    import onnx


def hash_parts(*parts: str) -> str:
    """Return a hash of texts in this order."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def hash_tensors(tensors: Tensors) -> str:
    """Return a hash of tensors and their names."""
    digest = hashlib.sha256()
    for name, array in sorted(tensors.items()):
        digest.update(f"{name!r} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def hash_model(path: Path, data: bytes | None = None) -> str:
    """Return a hash of a model and of all its external data files.

    Args:
        path: the model's file; external data is next to it.
        data: the serialized model to hash instead of the file's, with the same external data.
    """
    import onnx

    model = onnx.load(path, load_external_data=False) if data is None else onnx.load_from_string(data)
    graph = file_hash(path) if data is None else hashlib.sha256(data).hexdigest()
    folder = path.resolve().parent
    bodies: list[Iterable[onnx.NodeProto]] = [model.graph.node, *(each.node for each in model.functions)]
    files = {*_external_files(model.graph.initializer), *(file for nodes in bodies for file in _node_files(nodes))}
    return hash_parts(graph, *(f"{file} {file_hash(folder / file)}" for file in sorted(files)))


@cache
def hash_environment() -> str:
    """Return a hash of the versions, the CPU and webbuild's code, on which outputs depend besides the graph."""
    import onnxruntime

    folder = Path(webbuild.__file__).parent
    code = (f"{file.relative_to(folder)} {file_hash(file)}" for file in sorted(folder.rglob("*.py")))
    versions = (webbuild.__version__, onnxruntime.__version__, np.__version__)
    return hash_parts(*versions, *_processor(), str(os.cpu_count()), *code)


def _processor() -> tuple[str, ...]:
    """Return the CPU model and features, which decide how kernels round."""
    machine = (platform.machine(), platform.processor())
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return machine
    return (*machine, *sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


def _node_files(nodes: Iterable[onnx.NodeProto]) -> Iterator[str]:
    """Yield the external data files of tensors in node attributes, including subgraphs."""
    for attribute in (attribute for node in nodes for attribute in node.attribute):
        yield from _external_files([attribute.t, *attribute.tensors])
        for graph in (attribute.g, *attribute.graphs):
            yield from _external_files(graph.initializer)
            yield from _node_files(graph.node)


def _external_files(tensors: Iterable[onnx.TensorProto]) -> Iterator[str]:
    for tensor in tensors:
        if tensor.data_location == tensor.EXTERNAL:
            yield from (entry.value for entry in tensor.external_data if entry.key == "location")
