"""Materializes a bundle's graph for native ONNX Runtime, with weights as whole, dequantized files."""

from __future__ import annotations

import gzip
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import File, Graph
from webbuild.quantization.dequantize import dequantize_file
from webbuild.quantization.weight_format import invalid_file
from webbuild.verify.bundle import Bundle

_COPY_BYTES = 8 * 1024 * 1024


@contextmanager
def materialize_graph(bundle: Bundle, graph: Graph) -> Iterator[Path]:
    """Yield the path of the graph.

    If weights are stored in parts or quantized, it is a copy next to the joined, dequantized weights. It exists inside
    the `with` block; a session created there keeps its mapped files.

    Raises:
        WebbuildError: `cannot-merge-weights`, `invalid-weights`.
    """
    files = {file.path: file for file in bundle.manifest.files}
    paths = (graph.file, *graph.weights)
    if not any(files[path].parts for path in paths if path in files):
        yield bundle.directory / graph.file
        return
    with ExitStack() as stack:
        try:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="webbuild-", ignore_cleanup_errors=True)))
            for path in paths:
                _write_file(bundle.directory, path, files, folder / Path(path).name)
        except OSError as error:
            raise WebbuildError(
                "cannot-merge-weights",
                f"{bundle.directory}: cannot join its weights in a temporary folder: {error.strerror or error}",
                "free disk space there, or set TMPDIR to another folder",
                exit_code=USAGE,
            ) from error
        yield folder / Path(graph.file).name


def _write_file(directory: Path, path: str, files: Mapping[str, File], target: Path) -> None:
    file = files.get(path)
    if file is None or not file.parts:
        _link_or_copy(directory / path, target)
        return
    with target.open("xb") as joined:
        for part in file.parts:
            for piece in _iter_part(directory / part, gzipped=part in files and files[part].encoding == "gzip"):
                joined.write(piece)
    if file.quantization == "int8":
        target.write_bytes(dequantize_file(target.read_bytes(), file.uncompressed_size, path))


def _iter_part(part: Path, *, gzipped: bool) -> Iterator[bytes]:
    """Yield the decompressed contents of a part, piece by piece."""
    try:
        with gzip.open(part) if gzipped else part.open("rb") as stream:
            while piece := stream.read(_COPY_BYTES):
                yield piece
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise invalid_file(str(part), f"it is not a gzip file: {error}") from error


def _link_or_copy(file: Path, target: Path) -> None:
    """Hard-link a file, because ONNX Runtime follows no symbolic link out of the graph's folder; else copy it."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
