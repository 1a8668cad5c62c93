"""The name of a bundle that was packed from several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from webbuild.commands.pack_plan import common_name
from webbuild.model.locate import LocatedModel


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (["segmenter/encoder.onnx", "segmenter/decoder.onnx"], "segmenter"),
        (["sam/onnx/vision_encoder.onnx", "sam/onnx/prompt_encoder_mask_decoder.onnx"], "sam"),
        (["one/encoder.onnx", "other/decoder.onnx"], "joined"),
        (["models/detector.onnx", "models/pose.onnx"], "joined"),
        (["a/pose.onnx", "b/pose.onnx"], "pose"),
    ],
)
def test_files_named_for_their_part_take_the_name_of_their_folder(files: list[str], name: str) -> None:
    located = [LocatedModel(Path(file), Path(file).stem) for file in files]
    assert common_name(located, "joined") == name
