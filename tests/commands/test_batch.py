"""`pack --batch 1,4`: graphs for one image and for four, each compared image by image; or an error."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.commands.program import pack, webbuild
from tests.commands.test_several_sizes import FIXED, WIDE, model
from tests.models import HEADER, parsed, save, weights
from webbuild.compile import model_variant
from webbuild.manifest.variant_names import picture_batch, picture_size, variant_names
from webbuild.runners.batch_runner import in_place

pytestmark = pytest.mark.usefixtures("stand_in")

POOLED = f"""{HEADER}
pooled (float[n,3,h,w] x) => (float[m,4] y)
<int64[1] axes = {{0}}>
{{
  grown = Conv <kernel_shape = [3, 3]> (x, w)
  rows = GlobalAveragePool (grown)
  flat = Flatten (rows)
  y = REDUCED
}}
"""
MIXED = POOLED.replace("REDUCED", "ReduceMean <keepdims = 1> (flat, axes)")
TWO_INPUTS = WIDE.replace("x) =>", "x, float[1] more) =>").replace("Relu (grown)", "Add (grown, more)")


def conv(folder: Path, text: str) -> Path:
    proto = parsed(text)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(4, 3, 3, 3), "w"))
    return save(proto, folder / "conv.onnx")


def test_a_graph_for_each_batch_shares_the_weights(tmp_path: Path) -> None:
    manifest = pack(model(tmp_path), "--batch", "4", "--size", "32")
    assert variant_names(manifest) == ["batch 1", "batch 4"]
    one, four = manifest.every_variant
    assert [picture_batch(each) for each in (one, four)] == [1, 4]
    assert picture_size(one) == picture_size(four) == (32, 32)
    assert [each.outputs[0].shape for each in (one, four)] == [[1, 4, 32, 32], [4, 4, 32, 32]]
    assert {tuple(graph.weights) for graph in one.graphs} == {tuple(graph.weights) for graph in four.graphs}
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    runners = {each["subject"]["runner"] for each in report["comparisons"]}
    assert runners == {f"{target} batch {n}" for target in ("webgpu", "wasm") for n in (1, 4)}


def test_each_batch_is_proven_in_half_precision(tmp_path: Path) -> None:
    manifest = pack(model(tmp_path, channels=16), "--batch", "1,4", "--size", "32", "--precision", "fp16")
    halves = [graph for each in manifest.every_variant for graph in each.graphs if graph.precision == "fp16"]
    assert [graph.outputs[0].shape[0] for graph in halves] == [1, 4]
    assert halves[0].weights == halves[1].weights
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    proven = {each["subject"]["runner"] for each in report["comparisons"] if each["verdict"] == "OK" and each["signal"]}
    assert proven >= {"webgpu fp16 batch 1", "webgpu fp16 batch 4"}


def test_each_size_has_each_batch(tmp_path: Path) -> None:
    manifest = pack(model(tmp_path), "--batch", "1,2", "--size", "32,48")
    assert variant_names(manifest) == ["32x32 batch 1", "32x32 batch 2", "48x48 batch 1", "48x48 batch 2"]


def test_pictures_that_touch_each_other_are_found(tmp_path: Path) -> None:
    """Each sample is compared with its own single run: an output that depends on other images of the batch differs."""
    compile_variants = model_variant.compile_variants

    def shifted(*given: object) -> list[model_variant.ModelVariant]:
        variants = compile_variants(*given)  # type: ignore[arg-type]
        for graph in variants[1].compiled.lowered.graphs.values():
            (relu,) = [node for node in graph.graph if node.op_type == "Relu"]
            relu.op_type = "Softmax"
            relu.attributes.clear()
            relu.attributes["axis"] = ir.AttrInt64("axis", 0)
        return variants

    with patch("webbuild.commands.pack_compile.compile_variants", shifted):
        done = webbuild("pack", model(tmp_path), "-o", tmp_path / "out", "--batch", "2", "--size", "32", "--no-verify")
    assert (done.code, done.error) == (1, "output-mismatch")
    assert "batch 2: " in done.stderr


@pytest.mark.parametrize(
    ("text", "options", "error", "why"),
    [
        (FIXED, (), "fixed-batch", "input 'x' takes 1, fixed when it was exported"),
        (TWO_INPUTS, (), "fixed-batch", "input 'more' [1] is not a picture"),
        (WIDE, ("--dim", "n=1"), "conflicting-options", "--batch 4 and --dim n=1"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, options: tuple[str, ...], error: str, why: str) -> None:
    out = tmp_path / "out"
    done = webbuild("pack", model(tmp_path, text), "-o", out, "--batch", "1,4", "--no-verify", *options)
    assert (done.code, done.error) == (2, error)
    assert why in done.stderr
    assert not out.exists()


def test_an_output_without_an_answer_for_each_picture_is_refused(tmp_path: Path) -> None:
    options = ("--batch", "4", "--size", "16", "--no-verify")
    done = webbuild("pack", conv(tmp_path, MIXED), "-o", tmp_path / "out", *options)
    assert (done.code, done.error) == (2, "fixed-batch")
    assert "output 'y' is [1, 4] for 4 pictures, [1, 4] for one" in done.stderr


@pytest.mark.parametrize("batch", ["0", "1,1", "", "four", "1,", "257"])
def test_what_is_no_list_of_batches_is_refused(tmp_path: Path, batch: str) -> None:
    done = webbuild("pack", model(tmp_path), "-o", tmp_path / "out", "--batch", batch, "--no-verify")
    assert (done.code, done.error) == (2, "invalid-batch")


def test_a_picture_keeps_its_place_among_others() -> None:
    picture = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    for place in range(3):
        batch = in_place(picture, place, 3)
        assert batch.shape == (3, 3, 2, 2)
        assert [bool((each == picture[0]).all()) for each in batch] == [at == place for at in range(3)]
