"""An index of pictures: a file with their unit vectors, and one with their names."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webbuild.bundle.interrupts import ignoring_interrupts
from webbuild.bundle.staging import unwritable_output
from webbuild.manifest.manifest import Manifest

_INDEX_FORMAT = 1
"""The version of both files; the runtime's `loadIndex` checks it."""


def index_files(out: Path) -> tuple[Path, Path]:
    """Return the files of an index: the vectors, and the names with the model's data."""
    return out.with_name(f"{out.name}.bin"), out.with_name(f"{out.name}.json")


def write_index(out: Path, manifest: Manifest, names: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Write the vectors [count, dimension] as row-major little-endian float32, and their names in the same order.

    Raises:
        WebbuildError: `cannot-write`.
    """
    metadata = {
        "format": _INDEX_FORMAT,
        "model": {"name": manifest.name, "sha256": manifest.source.sha256},
        "dimension": vectors.shape[1],
        "names": list(names),
    }
    contents = (vectors.astype("<f4").tobytes(), json.dumps(metadata, ensure_ascii=False).encode() + b"\n")
    files = {file.with_name(f".{file.name}.partial"): file for file in index_files(out)}
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        for partial, data in zip(files, contents, strict=True):
            partial.write_bytes(data)
        with ignoring_interrupts():  # the vectors must not stay with the names of another index
            for partial, file in files.items():
                partial.replace(file)
    except OSError as error:
        raise unwritable_output(out, error) from error
    finally:
        for partial in files:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
