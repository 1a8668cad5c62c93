"""Weight files above the size of a shard, cut into parts that every host takes."""

from __future__ import annotations

from pathlib import Path

from webbuild.bundle import weight_shards
from webbuild.manifest.file_entry import file_hash
from webbuild.manifest.manifest import File

_COPY_BYTES = 8 * 1024 * 1024


def split_large_files(folder: Path) -> list[File]:
    """Cut every weight file under `folder` that is larger than a shard; the graphs go on naming the whole.

    Returns:
        For each file that is no more, what it was, and the parts to join to have it again.
    """
    whole = sorted(file for file in folder.rglob("weights-*.bin") if file.stat().st_size > weight_shards.SHARD_BYTES)
    return [_split_file(file, folder, weight_shards.SHARD_BYTES) for file in whole]


def _split_file(file: Path, folder: Path, limit: int) -> File:
    """Cut from the end, so that the disk never holds more than one part twice."""
    size = file.stat().st_size
    digest = file_hash(file)
    count = -(-size // limit)
    parts = [file.with_name(f"{file.stem}-{index:04}.bin") for index in range(count)]
    for index in range(count - 1, 0, -1):
        _move_tail(file, index * limit, parts[index])
    file.rename(parts[0])
    return File(
        path=file.relative_to(folder).as_posix(),
        size=size,
        sha256=digest,
        uncompressed_size=size,
        parts=[part.relative_to(folder).as_posix() for part in parts],
    )


def _move_tail(file: Path, offset: int, part: Path) -> None:
    with file.open("r+b") as source, part.open("xb") as target:
        source.seek(offset)
        while piece := source.read(_COPY_BYTES):
            target.write(piece)
        source.truncate(offset)
