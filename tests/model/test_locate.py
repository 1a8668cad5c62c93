"""Which file is meant: a path, a folder as exporters lay it out, a repository of the Hub."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.locate import hub_reference, locate_model


def folder(path: Path, *files: str) -> Path:
    for name in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(b"")
    return path


@pytest.mark.parametrize(
    ("files", "file", "name"),
    [
        (["best.onnx"], "best.onnx", "best"),
        (["model.onnx", "config.json"], "model.onnx", "net"),
        (["onnx/model.onnx", "onnx/model.onnx_data", "config.json"], "onnx/model.onnx", "net"),
        (["onnx/model_fp16.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"], "onnx/model.onnx", "net"),
        (["onnx/model_quantized.onnx", "onnx/model_fp16.onnx"], "onnx/model_fp16.onnx", "net"),
        (["onnx/decoder_model.onnx", "onnx/model.onnx"], "onnx/model.onnx", "net"),
        (["yolo_int8.onnx", "yolo.onnx"], "yolo.onnx", "yolo"),
    ],
)
def test_the_model_of_a_folder(files: list[str], file: str, name: str, tmp_path: Path) -> None:
    found = locate_model(folder(tmp_path / "net", *files))
    assert (found.path, found.name) == (tmp_path / "net" / file, name)


def test_a_file_is_itself(tmp_path: Path) -> None:
    found = locate_model(tmp_path / "yolo-pose.onnx")
    assert (found.path, found.name) == (tmp_path / "yolo-pose.onnx", "yolo-pose")


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        (["config.json"], "model-not-found", "no .onnx file in it"),
        (["manifest.json", "graphs/webgpu.onnx"], "model-not-found", "is a bundle"),
        (["onnx/encoder.onnx", "onnx/decoder.onnx"], "several-models", "onnx/decoder.onnx, onnx/encoder.onnx"),
    ],
)
def test_a_folder_that_says_too_little(files: list[str], code: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WebbuildError) as caught:
        locate_model(folder(tmp_path / "net", *files))
    assert (caught.value.code, caught.value.exit_code) == (code, USAGE)
    assert said in caught.value.message
    assert caught.value.fix


@pytest.mark.parametrize("kind", [PurePosixPath, PureWindowsPath])
@pytest.mark.parametrize("given", ["hf:owner/name", "hf:owner/name@v1:onnx/model.onnx"])
def test_a_repository_is_one_on_every_system(kind: type[PurePosixPath], given: str) -> None:
    assert hub_reference(kind(given)) == given


@pytest.mark.parametrize("given", [r"C:\models\hf\model.onnx", "h:model.onnx", r"hf\model.onnx", r"D:hf:model.onnx"])
def test_a_drive_is_no_repository(given: str) -> None:
    assert hub_reference(PureWindowsPath(given)) is None
