"""`pack detector.onnx keypoints.onnx`: the second model looks at crops of what the first one finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commands.program import webbuild
from tests.crop_models import DETECTOR, keypoints
from tests.stages import pair
from webbuild.manifest.manifest import CropInput, KeypointsTask, Manifest, PoseTask, decode
from webbuild.manifest.uint8_tensors import from_uint8
from webbuild.preprocess.crop import place_crop
from webbuild.preprocess.image import load_image
from webbuild.preprocess.picture import crops_to_tensor, picture_to_tensor
from webbuild.runners.native import NativeRunner
from webbuild.tasks.crop_boxes import crop_boxes
from webbuild.tasks.registry import decode_task
from webbuild.tasks.run_context import RunContext

pytestmark = pytest.mark.usefixtures("stand_in")


def packed(folder: Path, *given: Path | str) -> Manifest:
    done = webbuild("pack", *given, "-o", folder / "out", "--no-verify")
    assert done.code == 0, done.stderr
    return decode((folder / "out" / "manifest.json").read_bytes())


def test_crops_are_cut_around_people_in_batches(tmp_path: Path) -> None:
    first, second = packed(tmp_path, DETECTOR, keypoints(tmp_path)).every_stage
    assert isinstance(first.task, PoseTask)
    assert isinstance(second.task, KeypointsTask)
    crops = [spec for variant in second.every_variant for spec in variant.inputs]
    assert [(type(each), each.shape[0]) for each in crops] == [(CropInput, 1), (CropInput, 4)]


def test_crops_run_in_the_batches_that_are_given(tmp_path: Path) -> None:
    _, crops = packed(tmp_path, DETECTOR, keypoints(tmp_path), "--batch", "3").every_stage
    shapes = [spec.shape for variant in crops.every_variant for spec in variant.inputs if isinstance(spec, CropInput)]
    assert [shape[0] for shape in shapes] == [1, 3]


def test_a_batch_that_an_export_fixes_is_kept(tmp_path: Path) -> None:
    _, second = packed(tmp_path, DETECTOR, keypoints(tmp_path, "1")).every_stage
    assert [spec.shape[0] for variant in second.every_variant for spec in variant.inputs] == [1]


def test_the_second_stage_is_proven_on_a_crop_of_the_best_box(tmp_path: Path) -> None:
    first, second = packed(tmp_path, DETECTOR, keypoints(tmp_path)).every_stage
    folder = tmp_path / "out"
    assert second.golden is not None
    rgba = load_image(DETECTOR.parent / "samples" / second.golden.sample)
    picture, crop = first.inputs[0], second.inputs[0]
    assert isinstance(crop, CropInput)
    tensor, place = picture_to_tensor(rgba, picture)  # type: ignore[arg-type]
    options = {spec.name: np.full(spec.shape, spec.default, np.float32) for spec in first.inputs[1:]}  # type: ignore[union-attr]
    outputs = NativeRunner(folder / first.graphs[-1].file).run({picture.name: tensor, **options})
    people = decode_task(first.task, outputs, RunContext(place))
    assert people
    best, _ = crops_to_tensor(rgba, crop, [place_crop(crop_boxes(people)[0], crop)])
    levels = np.fromfile(folder / second.golden.inputs[crop.name], np.uint8).reshape(crop.shape)
    np.testing.assert_allclose(from_uint8(levels, crop), best, atol=0.02)
    whole, _ = picture_to_tensor(rgba, crop)
    assert np.abs(best - whole).max() > 0.1


def test_a_stage_without_boxes_before_it_is_named(tmp_path: Path) -> None:
    done = webbuild("pack", keypoints(tmp_path), DETECTOR, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "yolo-pose.onnx takes no output of an earlier stage, and no crop" in done.stderr


def test_crops_of_an_encoder_are_an_error(tmp_path: Path) -> None:
    encoder, _ = pair(tmp_path)
    done = webbuild("pack", encoder, keypoints(tmp_path), "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (2, "stages-not-joined")
    assert "tiny-rtmpose.onnx takes crops, and no stage before it finds boxes" in done.stderr
