"""Other files given as a model: the error names their format, with the fix for it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.models import convolution
from webbuild.errors import WebbuildError
from webbuild.model.file_format import sniff_format
from webbuild.model.load import load_onnx


def checkpoint() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02")
    return file.getvalue()


FILES = {
    "an empty file": (b"", "download"),
    "Git LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9\n", "git lfs pull"),
    "PyTorch checkpoint": (checkpoint(), "yolo export"),
    "PNG picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "--sample"),
    "WAV audio": (b"RIFF\x24\0\0\0WAVEfmt ", "--sample"),
    "MP4": (b"\0\0\0\x20ftypisom", "--sample"),
    "web page": (b"\n  <!DOCTYPE html><html><title>404", "download"),
    "text file": (b"hello\n", ".onnx"),
    "safetensors": (b"\x10" + bytes(7) + b'{"a":{"dtype":"F32"}}', "export"),
    "TensorFlow Lite": (b"\x1c\0\0\0TFL3" + bytes(20), "ONNX export"),
}


@pytest.mark.parametrize(("what", "data", "fix"), [(what, *rest) for what, rest in FILES.items()], ids=list(FILES))
def test_a_file_that_is_no_model_is_told_for_what_it_is(tmp_path: Path, what: str, data: bytes, fix: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(WebbuildError, match=what) as caught:
        load_onnx(path)
    assert caught.value.code == "not-onnx"
    assert str(path) in caught.value.message
    assert fix in caught.value.fix


def test_a_model_looks_like_nothing_else() -> None:
    assert sniff_format(convolution().SerializeToString()) is None
    assert sniff_format((Path(__file__).parents[2] / "models" / "yolo-pose.onnx").read_bytes()) is None
