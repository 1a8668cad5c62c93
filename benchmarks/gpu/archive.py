"""The archive that is copied to the machine with the GPU. Standard library only."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any, Literal

LIMIT = 64 * 2**20
"""Largest size of the archive in bytes."""
DEFAULT = Path("build/gpu.tar.xz")
PLAN = "plan.json"


def pack(folder: Path, archive: Path, limit: int = LIMIT, preset: Literal[0, 6] = 6) -> int:
    """Write the archive of a folder and return its size; `preset` is xz's, 0 is the fastest.

    Raises:
        ValueError: the archive has more than `limit` bytes; it is not kept.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", preset=preset) as files:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                files.add(path, path.relative_to(folder).as_posix(), filter=_anonymous)
    size = archive.stat().st_size
    if size > limit:
        archive.unlink()
        raise ValueError(
            f"{archive} has {size / 2**20:.1f} MiB, {limit / 2**20:.0f} are allowed: leave some models out"
        )
    return size


def unpack(archive: Path, folder: Path) -> dict[str, Any]:
    """Unpack the archive and return its plan."""
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    plan: dict[str, Any] = json.loads((folder / PLAN).read_text("utf-8"))
    return plan


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
