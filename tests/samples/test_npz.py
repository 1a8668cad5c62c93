"""Files given for tensors: what one is that cannot be read, and what one holds that lacks an input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from webbuild.errors import WebbuildError
from webbuild.samples.npz import load_npz, load_npz_inputs


@pytest.mark.parametrize("data", [b"RIFF\x24\0\0\0WAVEfmt ", b"", b"hello"])
def test_another_file_is_called_no_npz(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.wav").write_bytes(data)
    with pytest.raises(WebbuildError, match=r"x\.wav: is no \.npz file") as caught:
        load_npz(tmp_path / "x.wav")
    assert "pickle" not in str(caught.value)


def test_objects_are_not_loaded_and_nobody_is_told_how(tmp_path: Path) -> None:
    np.savez(tmp_path / "o.npz", x=np.array([{}], object), allow_pickle=True)
    with pytest.raises(WebbuildError, match="holds Python objects, which are never loaded") as caught:
        load_npz(tmp_path / "o.npz")
    assert "allow_pickle" not in str(caught.value)


def test_what_a_file_holds_is_said_where_an_input_is_missing(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", audio=np.zeros(3))
    with pytest.raises(WebbuildError, match="input 'x' is nothing: it holds 'audio', wanted"):
        load_npz_inputs(tmp_path / "a.npz", {"x": ("float32", [3])}, "fix")


def test_int64_is_taken_for_int32_where_every_number_fits(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", mask=np.array([0, 2**31 - 1, -(2**31)]), ids=np.array([2**31]))
    (mask,) = load_npz_inputs(tmp_path / "a.npz", {"mask": ("int32", [3])}, "fix").values()
    assert mask.dtype == np.int32
    assert mask.tolist() == [0, 2**31 - 1, -(2**31)]
    with pytest.raises(WebbuildError, match=r"input 'ids' is int64 \[1\], wanted int32 \[1\]"):
        load_npz_inputs(tmp_path / "a.npz", {"ids": ("int32", [1])}, "fix")
