"""What a manifest says of a stored file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from webbuild.manifest import File


def describe(path: Path, folder: Path) -> File:
    """Return what the manifest says of a file in `folder`."""
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        gzipped = path.suffix == ".gz"
        inflated = size
        if gzipped:
            file.seek(-4, 2)
            inflated = int.from_bytes(file.read(4), "little")
    return File(
        path=path.relative_to(folder).as_posix(),
        size=size,
        sha256=digest,
        encoding="gzip" if gzipped else "identity",
        inflated=inflated,
    )
