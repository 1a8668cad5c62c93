"""One set of weights for every graph: shards that the graphs refer to as external data."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    import onnx_ir as ir

SHARD_BYTES = 20 * 1024 * 1024
_SMALLEST = 1024
"""Tensors below this many bytes stay inside their graph."""
_ALIGNMENT = 64


class _Slot(Struct, frozen=True):
    shard: int
    offset: int
    length: int


def share_weights(models: Iterable[ir.Model], folder: Path) -> list[str]:
    """Write the large initializers of all models to shards in `folder`, equal ones once, and refer to them.

    Returns:
        The shards' file names, made from their content.
    """
    slots: dict[tuple[str, bytes], _Slot] = {}
    places: list[tuple[ir.Value, _Slot]] = []
    shards: list[Path] = []
    sizes: list[int] = []
    for model in models:
        _take_in(model)
        for value in model.graph.initializers.values():
            tensor = value.const_value
            if tensor is None or not _is_large(tensor):
                continue
            data = tensor.tobytes()
            key = (str(tensor.dtype), hashlib.sha256(data).digest())
            if key not in slots:
                slots[key] = _append(folder, shards, sizes, data)
            places.append((value, slots[key]))
    names = [_name_by_content(shard) for shard in shards]
    for value, slot in places:
        _refer(value, names[slot.shard], slot, folder)
    return names


def _take_in(model: ir.Model) -> None:
    """Read what stays inside the graph but came from a file beside the original, which the bundle will not have."""
    import onnx_ir as ir

    for graph in model.graphs():
        for value in graph.initializers.values():
            tensor = value.const_value
            if isinstance(tensor, ir.ExternalTensor) and not (graph is model.graph and _is_large(tensor)):
                value.const_value = ir.tensor(tensor.numpy(), name=value.name)


def _is_large(tensor: ir.TensorProtocol) -> bool:
    return not tensor.dtype.is_string() and tensor.nbytes >= _SMALLEST


def _append(folder: Path, shards: list[Path], sizes: list[int], data: bytes) -> _Slot:
    offset = -(-sizes[-1] // _ALIGNMENT) * _ALIGNMENT if sizes else 0
    if not shards or offset + len(data) > SHARD_BYTES:
        shards.append(folder / f"shard-{len(shards)}.partial")
        sizes.append(0)
        offset = 0
    with shards[-1].open("ab") as file:
        file.write(b"\0" * (offset - sizes[-1]))
        file.write(data)
    sizes[-1] = offset + len(data)
    return _Slot(len(shards) - 1, offset, len(data))


def _name_by_content(shard: Path) -> str:
    with shard.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"weights-{digest[:12]}.bin"
    shard.replace(shard.with_name(name))
    return name


def _refer(value: ir.Value, name: str, slot: _Slot, folder: Path) -> None:
    import onnx_ir as ir

    tensor = value.const_value
    assert tensor is not None
    value.const_value = ir.ExternalTensor(
        name,
        slot.offset,
        slot.length,
        tensor.dtype,
        shape=ir.Shape(tensor.numpy().shape),
        name=value.name or "",
        base_dir=folder,
    )
