"""Matting models pack with one command: alpha is recognized, its value range is known, the page shows the cutout."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tests.commands.program import pack, refused
from tests.compared import verdicts
from tests.models import HEADER, matting_network, parsed, save
from webbuild.manifest.manifest import ImageInput, MatteTask, Task

pytestmark = pytest.mark.usefixtures("stand_in")


def untiled(task: Task) -> Task:
    """Return a task without its tiles, which would be exact: the network's receptive field is 3 x 3 at most."""
    assert isinstance(task, MatteTask)
    assert task.tiles is not None
    assert task.tiles.exact
    return msgspec.structs.replace(task, tiles=None)


def test_a_folder_of_the_hub_is_enough(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "modnet"}))
    told = {"image_mean": [0.5] * 3, "image_std": [0.25] * 3, "resample": 2, "do_rescale": True}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(told))
    (tmp_path / "onnx").mkdir()
    manifest = pack(save(matting_network("output"), tmp_path / "onnx" / "model.onnx"))
    assert untiled(manifest.task) == MatteTask(output="output")
    (image,) = manifest.inputs
    assert isinstance(image, ImageInput)
    assert (image.std, image.letterbox.interpolation) == ([0.25] * 3, "bilinear-antialias")
    out = tmp_path / "onnx" / "out"
    page = (out / "index.html").read_text("utf-8")
    assert 'data-view="matte"' in page
    assert "{ cutout } = " in page.replace("</span>", "")
    types = next(out.glob("*.d.ts")).read_text("utf-8")
    assert "background?: string | ImageSource | undefined;" in types
    assert "export { toPng, toJson, WebbuildError }" in types
    report = (out / "report.html").read_text("utf-8")
    assert "the foreground, over a checkerboard" in report
    assert "Results of the original and patched graphs" in report
    assert not [each for each in ("nothing found", "Detections of") if each in report]
    comparisons = json.loads((out / "report.json").read_text("utf-8"))["comparisons"]
    assert {each["subject"]["quantity"] for each in comparisons} == {"alpha", "gradient"}
    assert verdicts(comparisons) == {"OK"}


def test_logits_are_told_by_their_values(tmp_path: Path) -> None:
    manifest = pack(save(matting_network("logits", activation="Identity"), tmp_path / "birefnet-lite.onnx"))
    assert untiled(manifest.task) == MatteTask(output="logits", activation="sigmoid")
    assert any("its values are logits" in each for each in manifest.assumptions)


def test_without_a_name_it_is_one_only_where_the_user_says_so(tmp_path: Path) -> None:
    model = save(matting_network("output"), tmp_path / "mask.onnx")
    assert not isinstance(pack(model).task, MatteTask)
    assert untiled(pack(model, "--task", "matte", "--force").task) == MatteTask(output="output")


def test_alpha_that_is_the_same_everywhere_proves_nothing(tmp_path: Path) -> None:
    flat = parsed(f"""{HEADER} flat (float[1,3,32,48] x) => (float[1,1,32,48] alphas)
    <float[1,3,1,1] nothing = {{0.0, 0.0, 0.0}}> {{ a = Conv (x, nothing) alphas = Sigmoid (a) }}""")
    assert refused(save(flat, tmp_path / "flat.onnx")) == "vacuous-comparison"
