"""Files of a bundle that changed after packing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from webbuild.manifest.manifest import File
from webbuild.verify.bundle_reader import FIX_REPACK
from webbuild.verify.report import Problem


def changed_files(directory: Path, files: Iterable[File]) -> Iterator[Problem]:
    """Yield a problem for each of a bundle's files that is missing or differs from the manifest's hash."""
    for file in files:
        stored = file.parts or [file.path]
        gone = [path for path in stored if not _is_file(directory / path)]
        if gone:
            for path in () if file.parts else gone:  # the manifest also lists each part as a file
                yield Problem(code="missing-file", where="bundle", message=f"{path} is not there", fix=FIX_REPACK)
            continue
        digest = _sha256([directory / path for path in stored])
        if digest != file.sha256:
            message = f"{file.path} is not the file that was packed: sha256 {digest[:12]}…, not {file.sha256[:12]}…"
            yield Problem(code="changed-file", where="bundle", message=message, fix=FIX_REPACK)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # an invalid file name
        return False


def _sha256(files: Sequence[Path]) -> str:
    """Return the hash of the concatenated files."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while piece := stream.read(1024 * 1024):
                digest.update(piece)
    return digest.hexdigest()
