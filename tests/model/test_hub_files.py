"""The files next to a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.models import convolution, save
from webbuild.model.hub_files import HubFiles, find_hub_file, read_hub_files
from webbuild.model.load import load_onnx

CONFIG, PREPROCESSOR = {"model_type": "rt_detr"}, {"do_normalize": False}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    (folder / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR), "utf-8")


def test_both_are_read_with_the_model(tmp_path: Path) -> None:
    write(tmp_path)
    source = load_onnx(save(convolution(), tmp_path / "model.onnx"))
    assert source.signature.hub_files == HubFiles(CONFIG, PREPROCESSOR)


def test_they_may_lie_above_a_folder_called_onnx_and_above_no_other(tmp_path: Path) -> None:
    write(tmp_path)
    assert read_hub_files(tmp_path / "onnx" / "model.onnx").config == CONFIG
    assert read_hub_files(tmp_path / "other" / "model.onnx") == HubFiles()


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "[" * 100_000, '"x"', "\xff\xfe"])
def test_what_is_no_object_is_as_good_as_absent(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text, "latin-1")
    assert read_hub_files(tmp_path / "model.onnx") == HubFiles()


def test_without_config_json_that_of_open_clip_is_read(tmp_path: Path) -> None:
    (tmp_path / "open_clip_config.json").write_text('{"preprocess_cfg": {}}')
    assert read_hub_files(tmp_path / "model.onnx").config == {"preprocess_cfg": {}}
    write(tmp_path)
    assert read_hub_files(tmp_path / "model.onnx").config == CONFIG


def test_none_beside_it_is_nothing(tmp_path: Path) -> None:
    assert read_hub_files(tmp_path / "model.onnx") == HubFiles()


def test_the_nearest_file_of_a_name_is_found(tmp_path: Path) -> None:
    model, above, beside = (tmp_path / each for each in ("onnx/text_model.onnx", "config.json", "onnx/config.json"))
    assert find_hub_file(model, "config.json") is None
    write(tmp_path)
    assert find_hub_file(model, "config.json") == above
    write(tmp_path / "onnx")
    assert find_hub_file(model, "config.json") == beside
    assert find_hub_file(tmp_path / "onnx" / "other" / "model.onnx", "config.json") is None
