"""External data of a model: each file must exist, be complete, and be in the model's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError
from webbuild.model.tensor_checks import expected_bytes, iter_tensors

if TYPE_CHECKING:
    import onnx


_MAX_DIGITS = 20
"""Digits of an offset that are read: a number of this length is beyond the end of any file."""


def follow_link(proto: onnx.ModelProto, path: Path) -> Path:
    """Return the target of the model's symbolic link, and rename its external data to the file names there.

    The Hugging Face Hub's cache uses such links: all files of a model are in one folder, under other names.
    """
    if not path.is_symlink():
        return path
    real = path.resolve()
    for tensor in iter_tensors(proto.graph):
        for entry in tensor.external_data:
            file = (path.parent / entry.value).resolve()
            if entry.key == "location" and file.is_file() and file.parent == real.parent:
                entry.value = file.name
    return real


def check_external_data(proto: onnx.ModelProto, path: Path) -> int:
    """Return the number of bytes of external data that the model at `path` refers to, without the model's own file.

    Raises:
        WebbuildError: `external-data-outside`, `external-data-missing`, `external-data-linked` or
            `external-data-truncated`.
    """
    files: dict[Path, int] = {}
    for tensor in iter_tensors(proto.graph):
        if tensor.data_location != tensor.EXTERNAL:
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        file = _locate(path, tensor.name, entries.get("location", ""))
        size = files.setdefault(file, file.stat().st_size)
        end = _parse_number(entries.get("offset")) + max(_parse_number(entries.get("length")), expected_bytes(tensor))
        if end > size:
            raise WebbuildError(
                "external-data-truncated",
                f"{path}: tensor '{tensor.name}' ends at byte {end} of '{file.name}', which has {size}",
                "copy the data file again, or export the model again",
            )
    return sum(size for file, size in files.items() if file != path.resolve())


def _locate(path: Path, tensor: str, location: str) -> Path:
    folder = path.parent.resolve()
    try:
        file = (folder / location).resolve()
        there = file.is_file()
    except (OSError, ValueError):  # not a valid file name
        file, there = folder / "nameless", False
    if not location or not file.is_relative_to(folder):
        raise WebbuildError(
            "external-data-outside",
            f"{path}: tensor '{tensor}' has its data at '{location}', outside the model's folder",
            "move the data file next to the model, and make the location relative to it",
        )
    if not there:
        raise WebbuildError(
            "external-data-missing",
            f"{path}: tensor '{tensor}' has its data in '{location}', which is missing",
            f"put '{location}' next to '{path.name}'",
        )
    if file.stat().st_nlink > 1:  # the ONNX libraries reject such a file as an attack
        raise WebbuildError(
            "external-data-linked",
            f"{path}: tensor '{tensor}' has its data in '{location}', a file with several hard links",
            "replace it with a copy",
        )
    return file


def _parse_number(text: str | None) -> int:
    if not text or not (text.isascii() and text.isdigit()):
        return 0
    return int(text[:_MAX_DIGITS])
