"""Patched models as plain .onnx files, for users with their own loader."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.bundle.interrupts import ignoring_interrupts
from webbuild.bundle.staging import make_partial, unwritable_output
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.file_entry import file_hash
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names

if TYPE_CHECKING:
    import onnx_ir as ir

MAX_SINGLE_FILE_BYTES = 1_500_000_000
"""Most bytes of weights inside the .onnx file: protobuf is limited to 2 GiB."""
_MIN_EXTERNAL_BYTES = 1024
"""Smaller tensors always stay inside the .onnx file."""
_HASH_BLOCK_BYTES = 1 << 20
"""Larger tensors in memory are compared by a digest."""


class OnnxFile(Struct, frozen=True):
    """A file, and the targets that it is patched for.

    `data` is the file of its weights, empty if they are inside. `cpu_nodes` are passed to the native WebGPU provider as
    `forceCpuNodeNames`: its kernels give wrong results for these nodes.
    """

    targets: tuple[str, ...]
    file: str
    data: str
    sha256: str
    nodes: int
    cpu_nodes: tuple[str, ...] = ()


def write_model(model: ir.Model, folder: Path, stem: str, target: str, *, external: bool) -> OnnxFile:
    """Write a model as one file, or with its weights in a second file next to it.

    Args:
        model: the model, which is not changed.
        folder: the folder for the files.
        stem: the start of their names.
        target: the target in their names.
        external: whether the weights go to the second file even if they are small.
    """
    import onnx_ir as ir

    path = folder / f"{stem}.{target}.onnx"
    data = folder / f"{path.name}.data"
    if external or _model_bytes(model) > MAX_SINGLE_FILE_BYTES:
        ir.save(model, path, external_data=data.name, size_threshold_bytes=_MIN_EXTERNAL_BYTES)
    else:
        ir.save(model, path)
    data_file = data.name if data.exists() else ""
    named = tuple(cpu_node_names(model))
    return OnnxFile((target,), path.name, data_file, file_hash(path), model.graph.num_nodes(), named)


def has_external_weights(model: ir.Model) -> bool:
    """Whether a model has external weights."""
    import onnx_ir as ir

    return any(isinstance(tensor, ir.ExternalTensor) for tensor in _iter_tensors(model))


def content_hash(model: ir.Model) -> bytes:
    """Return a hash of a model. External weights are hashed by file and offset, not by content.

    Large tensors in memory are hashed one at a time: serializing all of them would be a copy of the weights.
    """
    import numpy as np
    import onnx_ir as ir

    brief = model.clone()
    for graph in brief.graphs():
        for value in graph.initializers.values():
            tensor = value.const_value
            if tensor is not None and not isinstance(tensor, ir.ExternalTensor) and tensor.nbytes > _HASH_BLOCK_BYTES:
                digest = hashlib.sha256(tensor.tobytes()).digest()
                value.const_value = ir.tensor(np.frombuffer(digest, np.uint8), name=value.name)
    return ir.to_proto(brief).SerializeToString(deterministic=True)


@contextmanager
def atomic_files(out: Path, stem: str, *, force: bool) -> Iterator[Path]:
    """Return a context manager with an empty folder in `out`. Its files are moved to `out` if the block succeeds.

    Raises:
        WebbuildError: `output-exists` for an existing file without `force`; `cannot-write`.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        folder = make_partial(stem, out)
    except OSError as error:
        raise unwritable_output(out, error) from error
    try:
        yield folder
        files = sorted(folder.iterdir())
        if not force:
            refuse_existing([out / file.name for file in files])
        with ignoring_interrupts():
            for file in files:
                file.replace(out / file.name)
    except OSError as error:
        raise unwritable_output(out, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def refuse_existing(files: list[Path]) -> None:
    """Raise WebbuildError `output-exists` if one of the files exists."""
    for file in files:
        if file.exists() or file.is_symlink():
            raise WebbuildError(
                "output-exists",
                f"{file}: already exists",
                "give another folder with -o, or --force to replace it",
                exit_code=USAGE,
            )


def _model_bytes(model: ir.Model) -> int:
    return sum(tensor.nbytes for tensor in _iter_tensors(model) if not tensor.dtype.is_string())


def _iter_tensors(model: ir.Model) -> Iterator[ir.TensorProtocol]:
    for graph in model.graphs():
        for value in graph.initializers.values():
            if value.const_value is not None:
                yield value.const_value
