"""Models exported in float16: nodes run in float32 only where float16 changes the output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from tests.native import Session

pytestmark = pytest.mark.usefixtures("stand_in")

TARGET = "1.30.0-webgpu"
HALF = onnx.TensorProto.FLOAT16


def exported(tmp_path: Path, large: int) -> Path:
    """Return a float16 model of `(large + x @ w) - large`: its output is lost to rounding where `large` is large."""
    text = f"""{HEADER} half (float16[1,32] x) => (float16[1,32] y) {{
      product = MatMul (x, w) far = Add (product, large) y = Sub (far, large)
    }}"""
    model = parsed(text)
    weights = np.random.default_rng(1).normal(0, 0.02, (32, 32)).astype(np.float16)
    for name, array in (("large", np.float16(large)), ("w", weights)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    return save(model, tmp_path / "half.onnx")


def patched(model: Path, tmp_path: Path) -> tuple[onnx.ModelProto, list[str]]:
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", TARGET, "--json")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    assert outcome["interface"]
    return onnx.load(outcome["files"][0]["file"]), outcome["repairs"]


def test_a_model_that_float16_makes_wrong_is_computed_in_float32_from_weights_in_float16(tmp_path: Path) -> None:
    model = exported(tmp_path, 4096)
    graph, said = patched(model, tmp_path)
    assert any(
        "computed in float32, not in float16 as exported, because float16 changes its answers: y: " in e for e in said
    )
    halves = {tensor.name for tensor in graph.graph.initializer if tensor.data_type == HALF}
    assert halves == {"w/half"}
    readers = [node for node in graph.graph.node if set(node.input) & halves]
    assert [(node.op_type, list(node.output)) for node in readers] == [("Cast", ["w/half/float"])]
    assert not any(a.i == HALF for node in graph.graph.node for a in node.attribute if a.name == "to")
    x = np.linspace(-1, 1, 32, dtype=np.float32)[None]
    weights = onnx.numpy_helper.to_array(onnx.load(model).graph.initializer[-1]).astype(np.float32)
    np.testing.assert_allclose(Session(graph).run({"x": x})["y"], x @ weights, atol=2e-3)


def test_a_model_that_float16_leaves_right_stays_as_it_was_exported(tmp_path: Path) -> None:
    graph, said = patched(exported(tmp_path, 0), tmp_path)
    assert not any("computed in float32" in each for each in said)
    assert {t.data_type for t in graph.graph.initializer if t.name == "w"} == {HALF}


def test_a_sum_that_a_kernel_loses_on_its_way_is_computed_in_float32(tmp_path: Path) -> None:
    """Every value is exact in float16. The error is inside the operator, where 1,024 terms add up to 20,480."""
    model = parsed(f"""{HEADER} half (float16[1,2048] x) => (float16[1,8] y) {{
      far = Add (x, large) y = MatMul (far, w)
    }}""")
    signs = np.ones((2048, 8), np.float16)
    signs[1024:] = -1
    for name, array in (("large", np.float16(20)), ("w", signs)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    _, said = patched(save(model, tmp_path / "half.onnx"), tmp_path)
    assert any("because float16 changes its answers: y: " in each for each in said)


def detector(tmp_path: Path, score: float, large: int) -> Path:
    """Return a float16 detector without NMS: `(large + boxes) - large`, and scores that vary."""
    text = f"""{HEADER} half (float16[1,3,32,32] images) => (float16[1,5,64] output0) {{
      axes = Constant <value = int64[2] {{2, 3}}> ()
      mean = ReduceMean <keepdims = 0> (images, axes)
      product = MatMul (mean, w) far = Add (product, large) moved = Sub (far, large) column = Unsqueeze (moved, two)
      boxes = Add (grid, column) output0 = Concat <axis = 1> (boxes, scores)
    }}"""
    model = parsed(text)
    places = np.stack([np.arange(64) % 8 * 4, np.arange(64) // 8 * 4, np.full(64, 3), np.full(64, 3)])
    tensors = {
        "large": np.float16(large),
        "w": np.array([[1, 2, 1, 2], [3, 1, 0, 1], [1, 2, 0, 2]], np.float16),
        "two": np.array([2]),
        "grid": places[None].astype(np.float16),
        "scores": np.linspace(score, score / 2, 64, dtype=np.float16).reshape(1, 1, 64),
    }
    for name, array in tensors.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    onnx.helper.set_model_props(model, {"task": "detect", "names": "{0: 'thing'}", "stride": "4"})
    return save(model, tmp_path / "detector.onnx")


@pytest.mark.parametrize("score", [0.9, 0.2])
def test_a_detector_that_finds_nothing_is_compared_at_a_lower_confidence(score: float, tmp_path: Path) -> None:
    packed = tmp_path / "bundle"
    done = webbuild("pack", detector(tmp_path, score, 8192), "--no-verify", "-o", packed)
    assert done.code == 0, done.stderr
    manifest = json.loads((packed / "manifest.json").read_text("utf-8"))
    assert any("computed in float32" in each for each in manifest["assumptions"])


def test_pack_says_it_among_what_it_assumed_and_needs_no_float16_of_the_adapter(tmp_path: Path) -> None:
    packed = tmp_path / "bundle"
    done = webbuild("pack", exported(tmp_path, 4096), "--no-verify", "-o", packed)
    assert done.code == 0, done.stderr
    manifest = json.loads((packed / "manifest.json").read_text("utf-8"))
    assert any("computed in float32" in each for each in manifest["assumptions"])
    assert [graph.get("features", []) for graph in manifest["graphs"]] == [[]] * len(manifest["graphs"])


ROUGHNESS = """left = Slice (image, start, last, across) right = Slice (image, one, end, across)
      edges = Sub (right, left) rough = Abs (edges) total = ReduceSum (rough)"""
SHADE = """pooled = AveragePool <kernel_shape = [8, 8], strides = [8, 8]> (image) half = Cast <to = 10> (middle)
      shades = Sub (pooled, half) shade = Abs (shades) deepest = ReduceMax (shade) total = Mul (deepest, most)"""


def rough_detector(tmp_path: Path, factor: int, measure: str = ROUGHNESS) -> Path:
    """Return a float16 detector whose box widens with the image's roughness: noise overflows in float16."""
    text = f"""{HEADER} half (float16[1,3,32,32] image) => (float[1,1,6] rows)
    <int64[1] start = {{0}}, int64[1] one = {{1}}, int64[1] end = {{32}}, int64[1] last = {{31}},
     int64[1] across = {{3}}, float wide_none = {{0}}, float middle = {{0.5}},
     float[1,1,6] box = {{2,2,12,20,0.9,0}}, float[1,1,6] side = {{0,0,1,0,0,0}}, int64[3] single = {{1,1,1}},
     float wide_factor = {{{factor}}}, float wide_most = {{8}}, float wide_part = {{0.000015}}> {{
      factor = Cast <to = 10> (wide_factor) most = Cast <to = 10> (wide_most)
      part = Cast <to = 10> (wide_part) none = Cast <to = 10> (wide_none)
      {measure} much = Mul (total, factor)
      little = Mul (much, part) wider = Clip (little, none, most) wide = Cast <to = 1> (wider)
      added = Reshape (wide, single) sides = Mul (side, added) rows = Add (box, sides) }}"""
    model = parsed(text)
    told = {"task": "detect", "names": "{0: 'box'}", "args": "{'nms': True}", "imgsz": "[32, 32]", "stride": "32"}
    onnx.helper.set_model_props(model, told)
    return save(model, tmp_path / "rough.onnx")


@pytest.mark.parametrize(("factor", "computed"), [(80, True), (2, False)])
def test_a_detector_is_tried_on_noise_too(tmp_path: Path, factor: int, computed: bool) -> None:
    _, said = patched(rough_detector(tmp_path, factor), tmp_path)
    assert any("computed in float32" in each for each in said) is computed


def test_a_picture_that_shows_nothing_does_not_keep_float16(tmp_path: Path) -> None:
    model, plain = rough_detector(tmp_path, 40000, SHADE), tmp_path / "plain.png"
    Image.new("RGB", (32, 32), (120, 120, 120)).save(plain)
    packed = tmp_path / "bundle"
    done = webbuild("pack", model, "--sample", plain, "--no-verify", "-o", packed)
    assert done.code == 0, done.stderr
    manifest = json.loads((packed / "manifest.json").read_text("utf-8"))
    assert any("computed in float32" in each for each in manifest["assumptions"])
