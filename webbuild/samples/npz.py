"""Arrays from an untrusted .npz file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.file_format import sniff_format

_HEAD_BYTES = 4096
"""First bytes of a file, which identify its format."""


def describe_file_type(file: Path) -> str:
    """Return the format of a file by its first bytes, such as `looks like a WAV audio file`; "" if unknown."""
    with file.open("rb") as opened:
        format_and_fix = sniff_format(opened.read(_HEAD_BYTES))
    return "" if format_and_fix is None else f"looks like {format_and_fix[0]}"


def load_npz(file: Path, wanted: str = "an array for each input") -> dict[str, NDArray[Any]]:
    """Return every array in the file by name. `wanted` describes the expected arrays in errors.

    Raises:
        WebbuildError: `unreadable-tensors`.
    """
    fix = f"give an .npz file written by numpy.savez, with {wanted}"
    try:
        with file.open("rb") as opened:
            zipped = opened.read(2) == b"PK"
        if not zipped:
            kind_text = describe_file_type(file)
            what = f"{kind_text}, which is not an .npz file" if kind_text else "is not an .npz file"
            raise WebbuildError("unreadable-tensors", f"{file}: {what}", fix, exit_code=USAGE)
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except WebbuildError:
        raise
    except Exception as error:  # zipfile and numpy raise many types, such as MemoryError for a size in a header
        reason = "holds Python objects, which are never loaded" if "allow_pickle" in str(error) else str(error)
        raise WebbuildError("unreadable-tensors", f"{file}: {reason}", fix, exit_code=USAGE) from error


def describe_contents(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the names of the arrays in a file, for the error about a missing one."""
    return f"nothing: it holds {', '.join(repr(name) for name in arrays) or 'no array'}"


def load_npz_inputs(
    file: Path, wanted: Mapping[str, tuple[str, Sequence[int | str | None]]], fix: str
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the inputs `wanted`, by name, element type and shape; other arrays are ignored.

    Raises:
        WebbuildError: `unreadable-tensors`; `invalid-input` with `fix`, if an array is missing or does not match.
    """
    arrays = load_npz(file)
    for name, (dtype, shape) in wanted.items():
        if name in arrays:
            arrays[name] = narrow_int64(arrays[name], dtype)
        array = arrays.get(name)
        if array is None or array.dtype.name != dtype or list(array.shape) != list(shape):
            shown = describe_contents(arrays) if array is None else f"{array.dtype} {list(array.shape)}"
            what = f"{file}: input '{name}' is {shown}, wanted {dtype} {list(shape)}"
            raise WebbuildError("invalid-input", what, fix, exit_code=USAGE)
    return {name: arrays[name] for name in wanted}


def narrow_int64(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return an int64 array as int32 if `dtype` is int32 and every value fits, else unchanged."""
    if dtype != "int32" or array.dtype != np.int64:
        return array
    narrow = array.astype(np.int32)
    return narrow if np.array_equal(narrow, array) else array
