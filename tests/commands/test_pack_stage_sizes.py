"""`pack detector.onnx classifier.onnx --size 64 --size 48`: several sizes of the first of several stages."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from tests.commands.program import webbuild
from tests.crop_models import classifier, crowd_detector
from tests.models import HEADER
from tests.stages import DECODER, ENCODER, pair
from webbuild.bisect.model_under_test import ModelSelection, open_model_under_test
from webbuild.compile.stages import prove_pipeline
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Manifest, decode
from webbuild.manifest.stages import unfit_stages
from webbuild.manifest.variant_names import picture_sizes
from webbuild.tasks.options.picture_sizes import PictureSize
from webbuild.verify.bundle import Bundle
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.pipeline_reference import compute_pipeline_references
from webbuild.verify.stage_reference import compute_stage_reference, takes_earlier
from webbuild.verify.variant_reference import VariantReference, compute_variant_reference

pytestmark = pytest.mark.usefixtures("stand_in")
SIZES = ("--size", "64", "--size", "48")
FREE = (
    ENCODER.replace("float[1,3,32,32] image", "float[1,3,h,w] image")
    .replace("8,8,8]", "8,a,b]")
    .replace("16,16]", "c,d]")
)
POOLED = f"""{HEADER}
encoder (float[1,3,h,w] image) => (float[1,8] vector)
{{
  halved = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (image, w1)
  bent = Relu (halved)
  pooled = GlobalAveragePool (bent)
  mixed = Conv <kernel_shape = [1, 1]> (pooled, w8)
  vector = Flatten (mixed)
}}
"""
SCORES = f"""{HEADER}
decoder (float[1,8] vector) => (float[1,8] scores)
{{
  scores = Sigmoid (vector)
}}
"""


def packed(folder: Path, *given: Path | str) -> Manifest:
    done = webbuild("pack", *given, "-o", folder / "out", "--no-verify")
    assert done.code == 0, done.stderr
    return decode((folder / "out" / "manifest.json").read_bytes())


@pytest.fixture
def crops(tmp_path: Path) -> Bundle:
    detector = crowd_detector(tmp_path / "crowd.onnx", 3, "h,w")
    packed(tmp_path, detector, classifier(tmp_path), *SIZES)
    return open_bundle(tmp_path / "out")


def works(bundle: Bundle) -> list[VariantReference]:
    work: list[VariantReference] = []
    for each in (each for each in bundle.variants if each.batch == 1):
        names = each.graph_names(["wasm"])
        if takes_earlier(each):
            work.append(compute_stage_reference(each, names, work[:1]))
        else:
            work.append(
                compute_variant_reference(
                    each, names, (), bundle.directory, work[0].more if work else None, lambda _: None
                )
            )
    return work


def test_a_detector_of_several_sizes_shares_one_stage_of_crops(crops: Bundle) -> None:
    first, second = crops.manifest.every_stage
    assert picture_sizes(first) == [(64, 64), (48, 48)]
    assert picture_sizes(second) == [(24, 24)]
    assert list(unfit_stages(crops.manifest)) == []


def test_the_whole_is_proven_at_each_size(crops: Bundle) -> None:
    report = json.loads((crops.directory / "report.json").read_text())
    found: dict[str, int] = {}
    for each in report["comparisons"]:
        if each["subject"]["quantity"] == "detections":
            found[each["subject"]["runner"]] = found.get(each["subject"]["runner"], 0) + each["signal"]
    samples = len(crops.manifest.samples)
    for target in ("webgpu", "wasm"):
        for size in ("64x64", "48x48"):
            assert found[f"{target} whole {size}"] == 3 * samples
            assert f"{target} crowd {size}" in found


def test_graphs_that_differ_at_the_second_size_alone_are_found(tmp_path: Path) -> None:
    detector = crowd_detector(tmp_path / "crowd.onnx", 3, "h,w")
    right = prove_pipeline._with_thresholds

    def wrong(stage, runner):  # type: ignore[no-untyped-def]
        moved = 1.5 if stage.variants[0].name.endswith("48x48") else 1
        return lambda feeds: {name: array * moved for name, array in right(stage, runner)(feeds).items()}

    with patch.object(prove_pipeline, "_with_thresholds", wrong):
        done = webbuild("pack", detector, classifier(tmp_path), "-o", tmp_path / "out", "--no-verify", *SIZES)
    assert (done.code, done.error) == (1, "output-mismatch")
    assert "48x48: " in done.stderr
    assert "webgpu whole" in done.stderr


def test_verify_compares_the_whole_at_each_size(crops: Bundle) -> None:
    wholes = list(compute_pipeline_references(crops, works(crops), ["wasm"], "auto"))
    assert [(each.names, each.bundle.size) for each in wholes] == [
        (["wasm whole 64x64"], (64, 64)),
        (["wasm whole 48x48"], (48, 48)),
    ]
    placed = [work.inputs[0].placement for work in wholes]
    assert [(place.input_width, place.input_height) for place in placed if place] == [(64, 64), (48, 48)]
    for work in wholes:
        for _, answer in work.results:
            assert len(answer.detections) == 3
    boxes = [[each.box.x2 for each in work.reference.answers[0].detections] for work in wholes]
    assert boxes[0] != boxes[1]


def test_an_encoder_of_several_sizes_shares_a_decoder_of_pooled_features(tmp_path: Path) -> None:
    manifest = packed(tmp_path, *pair(tmp_path, POOLED, SCORES), "--size", "32,48x32")
    assert picture_sizes(manifest) == [(32, 32), (48, 32)]
    bundle = open_bundle(tmp_path / "out")
    small, wide = compute_pipeline_references(bundle, works(bundle), ["wasm"], "auto")
    for work, graph in ((small, manifest.every_variant[0]), (wide, manifest.every_variant[1])):
        assert work.inputs[0].feeds["encoder.image"].shape == tuple(graph.inputs[0].shape)
    one, other = (work.reference.answers[0].outputs["scores"] for work in (small, wide))
    assert np.abs(one - other).max() > 1e-6


def test_tensors_that_grow_with_the_picture_are_named(tmp_path: Path) -> None:
    done = webbuild("pack", *pair(tmp_path, FREE, DECODER), "-o", tmp_path / "out", "--no-verify", "--size", "32,64")
    assert (done.code, done.error) == (2, "stage-mismatch")
    assert "input 'embedding' of toy_decoder.onnx takes 'embedding' of toy_encoder.onnx" in done.stderr
    assert "float32 [1, 8, 8, 8] at 32x32 and float32 [1, 8, 16, 16] at 64x64" in done.stderr


def test_bisect_takes_the_graph_of_a_size(crops: Bundle) -> None:
    wide = open_model_under_test(ModelSelection(crops.directory, size=PictureSize(48, 48)))
    assert wide.name.endswith("crowd 48x48")
    assert wide.inputs[0].feeds["images"].shape == (1, 3, 48, 48)
    first = open_model_under_test(ModelSelection(crops.directory))
    assert first.inputs[0].feeds["images"].shape == (1, 3, 64, 64)
    one, other = (
        open_model_under_test(ModelSelection(crops.directory, stage="tiny-cls", size=size)).inputs[0].feeds["input"]
        for size in (None, PictureSize(48, 48))
    )
    assert (one != other).any()


def test_bisect_names_the_sizes_that_a_bundle_has(crops: Bundle) -> None:
    with pytest.raises(WebbuildError, match="is not packed for pictures of 50x50") as caught:
        open_model_under_test(ModelSelection(crops.directory, size=PictureSize(50, 50)))
    assert (caught.value.code, caught.value.fix) == ("invalid-size", "give --size 64x64 or 48x48")
