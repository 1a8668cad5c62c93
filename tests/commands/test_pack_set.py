"""Set-prediction detectors (DETR): packed with appended detection rows, and refused where those are not proven."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest

from tests.commands.program import pack, refused, webbuild
from tests.compared import matched, outputs, verdicts
from tests.models import save
from tests.set_detectors import QUERIES, ROWS, SIDE, detr, rt_detr
from webbuild.manifest.manifest import DetectTask, ImageInput, SizeInput
from webbuild.postprocess import reference
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.reference_detr import reference_detr
from webbuild.runners.native import NativeRunner

pytestmark = pytest.mark.usefixtures("stand_in")


def test_an_rt_detr_packs_and_says_what_it_wants(tmp_path: Path) -> None:
    manifest = pack(save(rt_detr(), tmp_path / "m.onnx"))
    assert manifest.task == DetectTask(output="detections", rows=ROWS, classes=["class 0", "class 1", "class 2"])
    assert [spec.name for spec in manifest.inputs] == ["images", "orig_target_sizes", "confidence"]
    assert manifest.inputs[1] == SizeInput(name="orig_target_sizes", dtype="int64", shape=[1, 2])
    assert [(spec.name, spec.shape) for spec in manifest.outputs] == [("detections", [1, ROWS, 6])]
    comparisons = json.loads((tmp_path / "out" / "report.json").read_bytes())["comparisons"]
    assert (outputs(comparisons), verdicts(comparisons)) == ({"detections"}, {"OK"})
    assert sum(matched(comparisons).values()) > 10


def test_what_the_size_says_the_boxes_lie_where_they_lie_in_the_input(tmp_path: Path) -> None:
    pack(save(rt_detr(), tmp_path / "m.onnx"))
    (graph,) = (tmp_path / "out" / "model").glob("wasm*.onnx")
    runner = NativeRunner(graph)
    fed = {"images": np.random.default_rng(0).random((1, 3, SIDE, SIDE), np.float32), "confidence": np.zeros(1, "f")}
    rows = [
        runner.run({**fed, "orig_target_sizes": np.array([size])})["detections"] for size in ((SIDE, SIDE), (640, 31))
    ]
    assert (rows[0][0, :, 4] > 0).all()
    np.testing.assert_allclose(rows[1], rows[0], atol=1e-4)


def test_the_order_of_the_size_is_measured(tmp_path: Path) -> None:
    manifest = pack(save(rt_detr(height_first=True), tmp_path / "m.onnx"))
    size = manifest.inputs[1]
    assert isinstance(size, SizeInput)
    assert size.order == "height-width"
    assert any(
        "height, then width of the picture;" in sentence and "effect" in sentence for sentence in manifest.assumptions
    )
    comparisons = json.loads((tmp_path / "out" / "report.json").read_bytes())["comparisons"]
    assert verdicts(comparisons) == {"OK"}


def test_where_no_box_says_it_the_order_is_that_of_the_name(tmp_path: Path) -> None:
    model = save(rt_detr(boxes=0.0), tmp_path / "m.onnx")
    done = webbuild("pack", model, "--dry-run")
    assert "shows no order, so its name decides" in done.stderr


def test_float64_is_gone_and_no_pool_rounds_up(tmp_path: Path) -> None:
    pack(save(rt_detr(), tmp_path / "m.onnx"))
    rewrites = json.loads((tmp_path / "out" / "report.json").read_bytes())["rewrites"]
    done = {rewrite["code"] for rewrites in rewrites.values() for rewrite in rewrites if rewrite["applied"]}
    assert {"append-detr-postprocess", "float64-to-float32", "pool-ceil-mode", "fix-dynamic-dims"} <= done


def test_a_detr_packs_with_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "cup", "1": "dog"}}), "utf-8")
    size = {"height": SIDE, "width": SIDE}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps({"size": size, "do_normalize": True}), "utf-8")
    manifest = pack(save(detr(), tmp_path / "m.onnx"))
    assert manifest.task == DetectTask(output="detections", rows=QUERIES, classes=["cup", "dog"])
    assert [spec.name for spec in manifest.inputs] == ["pixel_values", "confidence"]
    image = manifest.inputs[0]
    assert isinstance(image, ImageInput)
    assert (image.mean, image.std) == ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def test_rows_of_something_else_are_not_emitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(raw: DetrPostprocess, *given: object) -> object:
        return reference_detr(msgspec.structs.replace(raw, size_order="height-width"), *given)  # type: ignore[arg-type]

    monkeypatch.setattr(reference, "reference_detr", turned)
    assert refused(save(rt_detr(), tmp_path / "m.onnx")) == "output-mismatch"


def test_rows_that_cannot_be_appended_are_refused_with_the_reason(tmp_path: Path) -> None:
    model = detr()
    model.graph.output.add().CopyFrom(onnx.helper.make_tensor_value_info("detections", 1, ["batch_size", "n", "m"]))
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = ["detections" if name == "table" else name for name in names]
    sizes = ("--dim", f"height={SIDE}", "--dim", f"width={SIDE}")
    done = webbuild("pack", save(model, tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify", *sizes)
    assert done.error == "postprocess-not-appended"
    assert "another output has the name 'detections'" in done.stderr
