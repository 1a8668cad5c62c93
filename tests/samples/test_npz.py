"""Files given as tensors: the format of an unreadable one, and the arrays of one that lacks an input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.manifests import image_input
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import TensorInput
from webbuild.samples.collect import collect_samples
from webbuild.samples.npz import load_npz, load_npz_inputs


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"RIFF\x24\0\0\0WAVEfmt ", "looks like a WAV audio file, which"),
        (b"ID3\x04" + bytes(20), "looks like an MP3 audio file, which"),
        (b"\x93NUMPY\x01\0v\0", r"looks like a single array \(\.npy\), which"),
        (b"", "looks like an empty file, which"),
        (b"hello", "looks like a text file, which"),
        (b"\x07\x01\x02", r"x\.wav:"),
    ],
)
def test_another_file_is_called_what_it_is(tmp_path: Path, data: bytes, what: str) -> None:
    (tmp_path / "x.wav").write_bytes(data)
    with pytest.raises(WebbuildError, match=rf"{what} is not an \.npz file") as caught:
        load_npz(tmp_path / "x.wav", "'audio' float32 [1, 640]")
    assert "pickle" not in str(caught.value)
    assert caught.value.fix.endswith("with 'audio' float32 [1, 640]")


def test_samples_that_are_no_pictures_or_lack_an_array_are_told_what_the_model_takes(tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_bytes(b"RIFF\x24\0\0\0WAVEfmt ")
    np.savez(tmp_path / "a.npz", sound=np.zeros((1, 4), np.float32))
    tensors = [
        TensorInput(name="audio", dtype="float32", shape=[1, 4]),
        TensorInput(name="state", dtype="float32", shape=[1, 2]),
    ]
    with pytest.raises(WebbuildError, match="got nothing: it holds 'sound'") as caught:
        collect_samples(tmp_path / "m.onnx", [tmp_path / "a.npz"], tensors)
    assert "'audio' float32 [1, 4], 'state' float32 [1, 2]" in caught.value.fix
    for name, what in (("x.wav", "looks like a WAV audio file"), ("a.npz", r"'x' float32 \[1, 3, 8, 8\]")):
        with pytest.raises(WebbuildError, match=f"{what}") as caught:
            collect_samples(tmp_path / "m.onnx", [tmp_path / name], [image_input(8, 8, "x")])
        assert caught.value.code == "invalid-sample"


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
