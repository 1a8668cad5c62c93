"""Stored weights as files that every host takes, beside the weight file that they stand for."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from webbuild.bundle import weights
from webbuild.manifest import File


def write(content: bytes, file: Path, folder: Path, size: int) -> File:
    """Write what stands for a weight file, gzipped, no piece larger than a shard.

    Args:
        content: what stands for it.
        file: the weight file, named as the graphs name it.
        folder: the bundle's.
        size: of the weight file.

    Returns:
        What the manifest says of the weight file, which is not to be in the bundle.
    """
    pieces = [content[start : start + weights.SHARD_BYTES] for start in range(0, len(content), weights.SHARD_BYTES)]
    parts, digest, total = [], hashlib.sha256(), 0
    for piece in pieces:
        gzipped = gzip.compress(piece, 9, mtime=0)
        part = file.with_name(f"weights-{hashlib.sha256(gzipped).hexdigest()[:12]}.int8.gz")
        part.write_bytes(gzipped)
        parts.append(part.relative_to(folder).as_posix())
        digest.update(gzipped)
        total += len(gzipped)
    path = file.relative_to(folder).as_posix()
    return File(path=path, size=total, sha256=digest.hexdigest(), inflated=size, parts=parts, form="int8")
