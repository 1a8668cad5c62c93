"""Arrays from an .npz file that nobody vouches for."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError


def read_arrays(file: Path) -> dict[str, NDArray[Any]]:
    """Return every array in the file by name.

    Raises:
        WebbuildError: `unreadable-tensors`.
    """
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, EOFError, ValueError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise WebbuildError(
            "unreadable-tensors",
            f"{file}: {error}",
            "give an .npz file written by numpy.savez, with an array for each input",
            exit_code=USAGE,
        ) from error
