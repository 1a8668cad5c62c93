"""Weights shared by all graphs: shards that the graphs refer to as external data."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.errors import WebbuildError
from webbuild.manifest.file_entry import file_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import onnx_ir as ir

SHARD_BYTES = 20 * 1024 * 1024
_MIN_SHARED_BYTES = 1024
"""Smaller tensors stay inside their graph."""
_ALIGNMENT = 64
_BLOCK_BYTES = 8 * 1024 * 1024
"""Bytes of a tensor per read."""


class _ShardSlot(Struct, frozen=True):
    """The location of a tensor: the call and shard, the offset, and the number of bytes."""

    call: int
    shard: int
    offset: int
    length: int


class SharedWeights:
    """The shards of a folder. Tensors of an earlier call are not written again: later models refer to them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._slots: dict[tuple[str, bytes], _ShardSlot] = {}
        self._names: list[list[str]] = []

    @property
    def names(self) -> list[str]:
        """The shards' file names, derived from their content, in the order in which they were written."""
        return [name for names in self._names for name in names]

    def write(self, models: Iterable[ir.Model]) -> None:
        """Write the large initializers of all models to new shards, without duplicates, and refer to them."""
        places: list[tuple[ir.Value, _ShardSlot]] = []
        shards: list[Path] = []
        sizes: list[int] = []
        for model in models:
            _load_external_tensors(model)
            for value in model.graph.initializers.values():
                tensor = value.const_value
                if tensor is None or not _is_large(tensor):
                    continue
                key = (str(tensor.dtype), _content_hash(tensor))
                if key not in self._slots:
                    shard_slot = _append_to_shard(self._folder, shards, sizes, tensor)
                    self._slots[key] = _ShardSlot(len(self._names), *shard_slot, tensor.nbytes)
                places.append((value, self._slots[key]))
        self._names.append([_name_by_content(shard) for shard in shards])
        for value, slot in places:
            _set_external_data(value, self._names[slot.call][slot.shard], slot, self._folder)


def _load_external_tensors(model: ir.Model) -> None:
    """Load small external tensors, which stay inside the graph: the bundle will not have the original's data file."""
    import onnx_ir as ir

    for graph in model.graphs():
        for value in graph.initializers.values():
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor) and not (graph is model.graph and _is_large(tensor)):
                value.const_value = ir.tensor(tensor.numpy(), name=value.name)


def _is_large(tensor: ir.TensorProtocol) -> bool:
    return not tensor.dtype.is_string() and tensor.nbytes >= _MIN_SHARED_BYTES


def _iter_content(tensor: ir.TensorProtocol) -> Iterator[bytes]:
    """Yield the content of a tensor. External data is read in blocks, which limits the memory."""
    import onnx_ir as ir

    if not isinstance(tensor, ir.ExternalTensor):
        yield tensor.tobytes()
        return
    with Path(tensor.path).open("rb") as file:
        file.seek(tensor.offset or 0)
        left = tensor.nbytes
        while left > 0:
            piece = file.read(min(left, _BLOCK_BYTES))
            if not piece:
                raise WebbuildError(
                    "external-data-truncated",
                    f"{tensor.path}: the file became shorter while webbuild read it",
                    "close other programs that write to the model, and pack it again",
                )
            left -= len(piece)
            yield piece


def _content_hash(tensor: ir.TensorProtocol) -> bytes:
    digest = hashlib.sha256()
    for piece in _iter_content(tensor):
        digest.update(piece)
    return digest.digest()


def _append_to_shard(folder: Path, shards: list[Path], sizes: list[int], tensor: ir.TensorProtocol) -> tuple[int, int]:
    """Write a tensor to the last shard, or to a new one if it is full. A tensor above the limit gets a separate file.

    Returns:
        The index of the shard in `shards`, and the tensor's offset in it.
    """
    offset = -(-sizes[-1] // _ALIGNMENT) * _ALIGNMENT if sizes else 0
    if not shards or offset + tensor.nbytes > SHARD_BYTES:
        shards.append(folder / f"shard-{len(shards)}.partial")
        sizes.append(0)
        offset = 0
    with shards[-1].open("ab") as file:
        file.write(b"\0" * (offset - sizes[-1]))
        for piece in _iter_content(tensor):
            file.write(piece)
    sizes[-1] = offset + tensor.nbytes
    return len(shards) - 1, offset


def _name_by_content(shard: Path) -> str:
    name = f"weights-{file_hash(shard)[:12]}.bin"
    shard.replace(shard.with_name(name))
    return name


def _set_external_data(value: ir.Value, name: str, slot: _ShardSlot, folder: Path) -> None:
    import onnx_ir as ir

    tensor = value.const_value
    assert tensor is not None
    value.const_value = ir.ExternalTensor(
        name,
        slot.offset,
        slot.length,
        tensor.dtype,
        shape=ir.Shape(int(size) for size in tensor.shape.numpy()),
        name=value.name or "",
        base_dir=folder,
    )
