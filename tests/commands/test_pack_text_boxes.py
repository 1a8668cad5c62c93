"""Text detectors pack with one command, and images without text are no proof."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from PIL import Image

from tests.commands.program import pack, refused
from tests.models import convolution, save
from tests.text_detectors import bars, detector
from webbuild.manifest.manifest import ImageInput, TextBoxesTask

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture
def picture(tmp_path: Path) -> str:
    return str(bars(tmp_path / "bars.png"))


@pytest.mark.parametrize(
    ("model", "activation"), [(detector(), "none"), (detector(("input", "logits"), ending="Identity"), "sigmoid")]
)
def test_a_detector_packs_by_its_name(tmp_path: Path, picture: str, model: onnx.ModelProto, activation: str) -> None:
    manifest = pack(save(model, tmp_path / "det.onnx"), "--sample", picture)
    assert isinstance(manifest.task, TextBoxesTask)
    assert manifest.task.activation == activation
    assert manifest.evaluation_thresholds == {"confidence": 0.6}
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'data-view="text-boxes"' in page
    assert 'data-option="confidence"' in page


def test_a_detector_is_tried_on_signs_where_no_pictures_are_given(tmp_path: Path) -> None:
    manifest = pack(save(detector(), tmp_path / "det.onnx"))
    assert [Path(each.file).name for each in manifest.samples] == ["sign-1.png", "sign-2.png"]


def test_a_free_size_is_fixed_by_an_option(tmp_path: Path, picture: str) -> None:
    model = save(detector(size=("h", "w")), tmp_path / "model.onnx")
    manifest = pack(model, "--sample", picture, "--size", "96x64")
    assert isinstance(manifest.task, TextBoxesTask)
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert image.shape == [1, 3, 64, 96]


def test_pictures_without_text_prove_nothing(tmp_path: Path) -> None:
    Image.new("RGB", (80, 60)).save(tmp_path / "black.png")
    model = save(detector(), tmp_path / "det.onnx")
    assert refused(model, "--sample", str(tmp_path / "black.png")) == "vacuous-comparison"


def test_another_model_is_refused(tmp_path: Path) -> None:
    model = save(convolution(), tmp_path / "det.onnx")
    assert refused(model, "--task", "text-boxes") == "task-mismatch"
