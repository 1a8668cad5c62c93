"""Which file is the model: a path, a folder in an exporter's layout, a repository of the Hub."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.locate import hub_reference, locate_model, locate_model_or_pair


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


SAM = ["onnx/vision_encoder.onnx", "onnx/prompt_encoder_mask_decoder.onnx"]


@pytest.mark.parametrize(
    ("files", "pair"),
    [
        (["encoder.onnx", "decoder.onnx", "config.json"], ["encoder.onnx", "decoder.onnx"]),
        ([*SAM, *(name.replace(".onnx", "_fp16.onnx") for name in SAM)], SAM),
        ([name.replace(".onnx", "_quantized.onnx") for name in SAM], [n.replace(".o", "_quantized.o") for n in SAM]),
        (["sam2_tiny.encoder.onnx", "sam2_tiny.decoder.onnx"], ["sam2_tiny.encoder.onnx", "sam2_tiny.decoder.onnx"]),
        (["text_encoder.onnx", "image_encoder.onnx"], ["image_encoder.onnx", "text_encoder.onnx"]),
    ],
)
def test_an_encoder_and_its_decoder(files: list[str], pair: list[str], tmp_path: Path) -> None:
    given = folder(tmp_path / "net", *files)
    assert [each.file for each in locate_model_or_pair(given)] == pair
    with pytest.raises(WebbuildError, match="has several models"):
        locate_model(given)


@pytest.mark.parametrize(
    ("files", "fix"),
    [
        (["a_encoder.onnx", "a_decoder.onnx", "face.onnx"], "webbuild pack {0}/a_encoder.onnx {0}/a_decoder.onnx"),
        (["cat.onnx", "cat_fp16.onnx", "dog.onnx"], "webbuild pack {0}/cat.onnx {0}/dog.onnx"),
        (["text_encoder.onnx", "text_encoder_2.onnx"], "webbuild pack {0}/text_encoder.onnx {0}/text_encoder_2.onnx"),
        (
            ["encoder_model.onnx", "decoder_model.onnx", "decoder_model_merged.onnx", "decoder_with_past_model.onnx"],
            "webbuild pack {0}/encoder_model.onnx {0}/decoder_model.onnx",
        ),
        (["text_model.onnx", "vision_model.onnx", "face.onnx"], "webbuild pack {0}/face.onnx {0}/text_model.onnx"),
    ],
)
def test_what_may_be_no_pair(files: list[str], fix: str, tmp_path: Path) -> None:
    given = folder(tmp_path / "net", *files)
    with pytest.raises(WebbuildError) as caught:
        locate_model_or_pair(given)
    assert caught.value.code == "several-models"
    assert caught.value.fix.endswith(fix.format(given))


@pytest.mark.parametrize("kind", [PurePosixPath, PureWindowsPath])
@pytest.mark.parametrize("given", ["hf:owner/name", "hf:owner/name@v1:onnx/model.onnx"])
def test_a_repository_is_one_on_every_system(kind: type[PurePosixPath], given: str) -> None:
    assert hub_reference(kind(given)) == given


@pytest.mark.parametrize("given", [r"C:\models\hf\model.onnx", "h:model.onnx", r"hf\model.onnx", r"D:hf:model.onnx"])
def test_a_drive_is_no_repository(given: str) -> None:
    assert hub_reference(PureWindowsPath(given)) is None
