"""Large arrays are moved to a temporary file, and stay equal."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.mapped import is_mapped
from webbuild.runners.mapped_arrays import map_arrays

LARGE = 1 << 19


def test_large_arrays_are_mapped_and_the_same() -> None:
    numbers = np.random.default_rng(0).standard_normal(LARGE)
    arrays: dict[str, NDArray[Any]] = {
        "float32": numbers.astype(np.float32).reshape(512, -1),
        "turned": numbers.reshape(512, -1).T,
        "float16": numbers.astype(np.float16),
        "bool": np.tile(numbers > 0, 3),
        "small": numbers[:10],
    }
    mapped = map_arrays(arrays)
    assert list(mapped) == list(arrays)
    for name, array in mapped.items():
        np.testing.assert_array_equal(array, arrays[name], strict=True)
        assert is_mapped(array) == (name in ("float32", "turned", "float16", "bool")), name
    with pytest.raises(ValueError, match="read-only"):
        mapped["float32"][0] = 1


def test_what_is_mapped_already_is_not_copied() -> None:
    again = map_arrays({"x": np.ones(LARGE)})["x"].reshape(512, -1).T
    assert map_arrays({"x": again})["x"] is again


def test_without_room_on_the_disk_they_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    array = np.ones(LARGE)
    assert map_arrays({"x": array})["x"] is array
