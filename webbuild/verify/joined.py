"""A bundle's graph where native ONNX Runtime can open it: its weights as whole files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest import Graph
from webbuild.verify.opened import Bundle


@contextmanager
def whole(bundle: Bundle, graph: Graph) -> Iterator[Path]:
    """Give the graph's path.

    Where weights are stored in parts, it is a copy beside the joined ones. It lasts for the block; a session made
    in it keeps what it has mapped.

    Raises:
        WebbuildError: `cannot-join`.
    """
    parts = {file.path: file.parts for file in bundle.manifest.files if file.parts}
    if not any(path in parts for path in graph.weights):
        yield bundle.directory / graph.file
        return
    with ExitStack() as stack:
        try:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="webbuild-", ignore_cleanup_errors=True)))
            for path in (graph.file, *graph.weights):
                _put(bundle.directory, path, parts.get(path, []), folder / Path(path).name)
        except OSError as error:
            raise WebbuildError(
                "cannot-join",
                f"{bundle.directory}: its weights cannot be joined in a temporary folder: {error.strerror or error}",
                "make room there, or name another folder in TMPDIR",
                exit_code=USAGE,
            ) from error
        yield folder / Path(graph.file).name


def _put(directory: Path, path: str, parts: list[str], target: Path) -> None:
    if not parts:
        _link(directory / path, target)
        return
    with target.open("xb") as joined:
        for part in parts:
            with (directory / part).open("rb") as stream:
                shutil.copyfileobj(stream, joined, 8 * 1024 * 1024)


def _link(file: Path, target: Path) -> None:
    """Hard, since ONNX Runtime follows no link that leads out of the graph's folder; a copy where that is refused."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
