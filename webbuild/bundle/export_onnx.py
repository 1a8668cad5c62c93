"""Patched models as plain files, for those who have a loader of their own."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.bundle.staging import ignoring_interrupts, make_partial, unwritable_output
from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.file_entry import file_hash
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names

if TYPE_CHECKING:
    import onnx_ir as ir

MAX_SINGLE_FILE_BYTES = 1_500_000_000
"""Bytes of weights up to which they stay inside the .onnx file: protobuf ends at 2 GiB."""
_MIN_EXTERNAL_BYTES = 1024
"""Tensors below this many bytes stay inside in any case."""
_HASH_BLOCK_BYTES = 1 << 20
"""Bytes of a tensor in memory from which on it is compared by its digest."""


class OnnxFile(Struct, frozen=True):
    """A file, and the targets whose patched graph it is.

    `data` has its weights, empty where they are inside. `cpu_nodes` go to the native WebGPU provider as
    `forceCpuNodeNames`: its kernels get these nodes wrong.
    """

    targets: tuple[str, ...]
    file: str
    data: str
    sha256: str
    nodes: int
    cpu_nodes: tuple[str, ...] = ()


def write_model(model: ir.Model, folder: Path, stem: str, target: str, *, external: bool) -> OnnxFile:
    """Write a model as one file, or with its weights in a second one beside it.

    Args:
        model: it stays as it is.
        folder: where the files go.
        stem: what their names begin with.
        target: what their names say besides.
        external: whether the weights go beside it however small they are.
    """
    import onnx_ir as ir

    path = folder / f"{stem}.{target}.onnx"
    data = folder / f"{path.name}.data"
    if external or _model_bytes(model) > MAX_SINGLE_FILE_BYTES:
        ir.save(model, path, external_data=data.name, size_threshold_bytes=_MIN_EXTERNAL_BYTES)
    else:
        ir.save(model, path)
    beside = data.name if data.exists() else ""
    named = tuple(cpu_node_names(model))
    return OnnxFile((target,), path.name, beside, file_hash(path), model.graph.num_nodes(), named)


def has_external_weights(model: ir.Model) -> bool:
    """Whether any of a model's weights lie in a file of their own."""
    import onnx_ir as ir

    return any(isinstance(tensor, ir.ExternalTensor) for tensor in _iter_tensors(model))


def content_hash(model: ir.Model) -> bytes:
    """Return a hash of a model. External weights are hashed by file and offset, not by content.

    Large ones in memory count by a digest, one after the other: all at once would be a copy.
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
    """Give an empty folder in `out`, whose files move into `out` if the block succeeds and vanish if not.

    Raises:
        WebbuildError: `output-exists` for a file that is there, unless `force`; `cannot-write`.
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
    """Raise WebbuildError `output-exists` if one of the files is there."""
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
