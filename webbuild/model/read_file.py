"""Reading and parsing of ONNX files: other files are refused with a fix."""

from __future__ import annotations

import hashlib
import mmap
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError, is_utf8
from webbuild.model.file_format import sniff_format
from webbuild.model.lazy_initializers import LARGE_FILE_BYTES, read_graph_only

if TYPE_CHECKING:
    import onnx

FIX_EXPORT = "export the model to ONNX again and pass the .onnx file"


class FileContent(Struct, frozen=True):
    """The bytes to parse, and the file's SHA-256 and size; `has_external_weights` if `data` lacks its weights."""

    data: bytes
    sha256: str
    size: int
    has_external_weights: bool


def read_file(path: Path) -> FileContent:
    """Return the content of a file, without the weights if it is large.

    Raises:
        WebbuildError: `model-not-found`.
    """
    if path.is_dir():
        raise WebbuildError(
            "model-not-found", f"{path}: is a folder", "pass the path of the .onnx file in it", exit_code=USAGE
        )
    if not is_utf8(path):
        raise WebbuildError("model-not-found", f"{path}: its name is not UTF-8", "rename the file", exit_code=USAGE)
    try:
        if (graph_only := _read_graph_only(path)) is not None:
            return graph_only
        data = path.read_bytes()
        return FileContent(data, hashlib.sha256(data).hexdigest(), len(data), False)
    except OSError as error:
        raise _not_found(path, error) from error


def parse(path: Path, data: bytes) -> onnx.ModelProto:
    """Return the model in a file's bytes.

    Raises:
        WebbuildError: `not-onnx` or `invalid-model`.
    """
    import onnx
    from google.protobuf.message import DecodeError

    if (format_and_fix := sniff_format(data)) is not None:
        what, fix = format_and_fix
        raise WebbuildError("not-onnx", f"{path}: looks like {what}", fix, exit_code=USAGE)
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        if "depth" in str(error).lower():
            fix = "flatten the control flow of the model, and export it again"
            raise WebbuildError("invalid-model", f"{path}: its graphs are nested too deeply", fix) from error
        what = "is cut off or damaged" if data[:1] == b"\x08" else "is not an ONNX file"
        raise WebbuildError("not-onnx", f"{path}: {what} ({root_cause(error)})", FIX_EXPORT) from error
    if not (proto.graph.node or proto.graph.output):
        raise WebbuildError("not-onnx", f"{path}: has no ONNX graph", FIX_EXPORT)
    return proto


def require_model(path: Path) -> None:
    """Raise if a path does not exist, before any other check of the call.

    Raises:
        WebbuildError: `model-not-found`.
    """
    try:
        path.stat()
    except OSError as error:
        raise _not_found(path, error) from error


def _read_graph_only(path: Path) -> FileContent | None:
    """Return a large file, if it is not a link, without its weights; else None."""
    known = path.lstat()
    if known.st_size < LARGE_FILE_BYTES or known.st_nlink > 1 or path.is_symlink():
        return None
    from google.protobuf import message

    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            graph = read_graph_only(data, path.name)
        except (
            ValueError,
            message.DecodeError,
        ):  # not lazily readable: parsing the whole file gives the error
            return None
        return FileContent(graph, hashlib.file_digest(file, "sha256").hexdigest(), known.st_size, True)


def _not_found(path: Path, error: OSError) -> WebbuildError:
    fix = "check the path of the .onnx file, the folder with it, or the Ultralytics .pt file"
    if "=" in path.name:
        fix = f"give the option again before each value, such as --dim {path.name}"
    return WebbuildError("model-not-found", f"{path}: {error.strerror}", fix, exit_code=USAGE)


def root_cause(error: BaseException) -> str:
    """Return the first line of the error's innermost cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) if lines else type(error).__name__
