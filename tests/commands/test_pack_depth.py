"""Depth models pack for a focal stack and for one image; the map is compared, and a map without signal is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from tests.characterization import compare_recorded
from tests.characterization.summary import summarize_pack
from tests.colours import colours
from tests.commands.program import pack, refused, webbuild
from tests.compared import outputs, verdicts
from tests.models import HEADER, focus_network, parsed, save
from webbuild.manifest.manifest import DepthTask, FocusInput, ImageInput, Manifest, StackInput, decode
from webbuild.samples.synthetic_focal_stack import synthetic_focal_stack

pytestmark = pytest.mark.usefixtures("stand_in")

SINGLE = f"""{HEADER}
single (float[1,3,8,8] picture) => (float[1,1,8,8] NAME)
<float[1,3,1,1] grey = {{0.3, 0.6, 0.1}}>
{{
  NAME = Conv (picture, grey)
}}
"""
FREE = f"""{HEADER}
free (float[1,n,3,8,8] stack, float[1,n] focus_distances) => (float[1,8,8] depth)
<int64[3] plane = {{1, 8, 8}}, int64[5] flat = {{1, 3, 3, 8, 8}}, int64[2] axes = {{1, 2}}>
{{
  a = Reshape (stack, flat)
  depth = ReduceMean <keepdims = 0> (a, axes)
}}
"""


def stack_in(folder: Path, count: int = 3, focus: str = "") -> Path:
    folder.mkdir(parents=True)
    for index, data in enumerate(synthetic_focal_stack(count)):
        (folder / f"{index}.png").write_bytes(data)
    if focus:
        (folder / "focus.json").write_text(focus)
    return folder


def inputs_of(manifest: Manifest) -> tuple[StackInput, FocusInput]:
    stack, focus = manifest.inputs
    assert isinstance(stack, StackInput)
    assert isinstance(focus, FocusInput)
    return stack, focus


def golden_map(manifest: Manifest, out: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    assert manifest.golden is not None
    return np.frombuffer((out / manifest.golden.outputs["depth"]).read_bytes(), np.float32).reshape(32, 48)


def test_a_stack_beside_the_model_is_its_sample_with_its_distances(tmp_path: Path) -> None:
    stack_in(tmp_path / "samples" / "my desk", focus="[0.5, 1.25, 3.0]")
    manifest = pack(save(focus_network(), tmp_path / "focus.onnx"))
    assert manifest.task == DepthTask(output="depth", confidence="confidence", quantity="depth", unit="metres")
    stack, focus = inputs_of(manifest)
    assert (stack.count, stack.shape) == (3, [1, 3, 3, 32, 48])
    assert focus.default == [0.5, 1.25, 3]
    (sample,) = manifest.samples
    assert (sample.title, sample.focus_distances, sample.width) == ("My desk", [0.5, 1.25, 3], 240)
    assert sample.stack == [f"samples/my-desk/{index}.png" for index in range(3)]
    assert sample.file == sample.stack[0]
    assert all((tmp_path / "out" / file).is_file() for file in sample.stack)
    depth = golden_map(manifest, tmp_path / "out")
    assert depth[:, :8].mean() < 1 < 2 < depth[:, -8:].mean()


def test_without_a_sample_one_is_made_up_and_the_distances_are_even(tmp_path: Path) -> None:
    manifest = pack(save(focus_network(4), tmp_path / "focus.onnx"))
    assert inputs_of(manifest)[1].default == [0, 1 / 3, 2 / 3, 1]
    (sample,) = manifest.samples
    assert (len(sample.stack), sample.focus_distances) == (4, [])
    assert any("even steps" in each for each in manifest.assumptions)
    comparisons = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["comparisons"]
    assert outputs(comparisons) == {"depth", "confidence"}
    assert {each["subject"]["sample"] for each in comparisons} == {"synthetic", "(noise)", "(grey)"}
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert 'data-view="depth"' in page
    assert "model.run(images)" in page
    types = (tmp_path / "out" / "focus.d.ts").read_text("utf-8")
    run = '<Part extends DepthPart = "values">(source: readonly ImageSource[], options?: RunOptions<Part>)'
    assert f"  run{run}: Promise<Result<Part>>;" in types
    assert "focusDistances?: readonly number[] | undefined;" in types


def test_a_given_folder_and_given_files_are_stacks(tmp_path: Path) -> None:
    model = save(focus_network(), tmp_path / "focus.onnx")
    one, two = stack_in(tmp_path / "one", focus="[1, 2, 3]"), stack_in(tmp_path / "two")
    files = [str(file) for file in sorted(two.glob("*.png"))]
    manifest = pack(model, "--sample", str(one), *files)
    assert [(sample.title, sample.focus_distances) for sample in manifest.samples] == [("One", [1, 2, 3]), ("Two", [])]


def test_more_pictures_than_the_stack_has_are_refused(tmp_path: Path) -> None:
    given = stack_in(tmp_path / "four", 4)
    assert refused(save(focus_network(), tmp_path / "focus.onnx"), "--sample", str(given)) == "invalid-sample"
    other = stack_in(tmp_path / "three", focus="[1, 2]")
    assert refused(save(focus_network(), tmp_path / "focus.onnx"), "--sample", str(other)) == "invalid-sample"


def test_one_picture_is_enough_for_other_models(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    ramp = np.linspace(0, 255, 64 * 3).astype(np.uint8).reshape(8, 8, 3)
    Image.fromarray(ramp).save(tmp_path / "samples" / "ramp.png")
    manifest = pack(save(parsed(SINGLE.replace("NAME", "predicted_depth")), tmp_path / "single.onnx"))
    assert isinstance(manifest.task, DepthTask)
    assert (manifest.task.output, manifest.task.quantity) == ("predicted_depth", "inverse-depth")
    assert isinstance(manifest.inputs[0], ImageInput)
    named = pack(save(parsed(SINGLE.replace("NAME", "out")), tmp_path / "named.onnx"), "--task", "depth", "--force")
    assert isinstance(named.task, DepthTask)


def test_a_model_without_a_map_is_no_model_of_depth(tmp_path: Path) -> None:
    assert refused(save(colours(), tmp_path / "colours.onnx"), "--task", "depth") == "task-mismatch"


def test_a_map_that_is_the_same_everywhere_proves_nothing(tmp_path: Path) -> None:
    model = focus_network()
    (average,) = [tensor for tensor in model.graph.initializer if tensor.name == "average"]
    average.CopyFrom(onnx.numpy_helper.from_array(np.zeros((1, 1, 3, 9, 9), np.float32), "average"))
    assert refused(save(model, tmp_path / "flat.onnx")) == "vacuous-comparison"


def test_sizes_that_do_not_come_out_even_stop_before_anything_runs(tmp_path: Path) -> None:
    model = save(parsed(FREE), tmp_path / "free.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify", "--dim", "n=5")
    assert done.error == "reshape-mismatch"
    assert "Reshape 'a': [1, 5, 3, 8, 8] has 960 elements, [1, 3, 3, 8, 8] needs 576" in done.stderr
    assert "native" not in done.stderr
    assert pack(model, "--dim", "n=3").task.__class__ is DepthTask


def test_a_fixed_squeeze_that_cannot_be_is_named_before_the_engine_refuses(tmp_path: Path) -> None:
    model = focus_network()
    (squeeze,) = [node for node in model.graph.node if node.op_type == "Squeeze"]
    squeeze.name = "/decoder3/Squeeze"
    (one,) = [tensor for tensor in model.graph.initializer if tensor.name == "one"]
    one.CopyFrom(onnx.numpy_helper.from_array(np.array([2], np.int64), "one"))
    done = webbuild("pack", save(model, tmp_path / "odd.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.error == "reshape-mismatch"
    assert "Squeeze '/decoder3/Squeeze'" in done.stderr
    assert "which has size 3, not 1" in done.stderr


def test_the_shipped_model_says_for_itself_what_it_is(tmp_path: Path, regenerate: bool) -> None:
    shipped = Path(__file__).parents[2] / "models" / "depth-from-focus"
    done = webbuild("pack", shipped / "depth-from-focus.onnx", "-o", tmp_path / "out", "--no-verify", "--json")
    assert done.code == 0, done.stderr
    manifest = decode((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest.task == DepthTask(
        output="depth", confidence="confidence", quantity="depth", unit="metres", near=0.5, far=3.0
    )
    stack, focus = inputs_of(manifest)
    assert (stack.count, stack.mean, stack.letterbox.interpolation) == (5, [0.485, 0.456, 0.406], "bilinear-antialias")
    assert focus.default == [0.5, 0.7, 1.0, 1.6, 3.0]
    assert len(manifest.samples) == len(list((shipped / "samples").iterdir()))
    report = json.loads(done.stdout)["pack"]
    assert report["precision"].startswith("float32")
    assert verdicts(report["comparisons"]) == {"OK"}
    compare_recorded("depth-from-focus/pack", summarize_pack(report), regenerate=regenerate)
    inspected = webbuild("inspect", shipped / "depth-from-focus.onnx", "--target", "1.30.0-webgpu", "--json")
    assert inspected.code == 0
    assert {node["placement"] for node in json.loads(inspected.stdout)["nodes"]} <= {"gpu", "folded"}
