"""An input with the shape of an image is an image, and its pixel value range is found by trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.commands.program import webbuild
from tests.manifests import image_input
from webbuild.compile.pixel_ranges import RANGES, with_range
from webbuild.compile.preprocessing_trials import PreprocessingTrials, is_empty, picture_dependence
from webbuild.runners.native import NativeRunner

HEADER = '<ir_version: 8, opset_import: ["" : 17]>'
SHAPES = {"nchw": "1,3,24,32", "nhwc": "1,24,32,3"}


def model(tmp_path: Path, factor: float, offset: float, layout: str = "nchw") -> Path:
    """Return a model that distinguishes pixel values only within `1 / factor` around `offset`."""
    shape = SHAPES[layout]
    text = f"""{HEADER} g (float[{shape}] x) => (float[{shape}] y) <float o = {{{offset}}}, float f = {{{factor}}}> {{
      a = Sub (o, x) b = Mul (a, f) y = Sigmoid (b)
    }}"""
    path = tmp_path / "net.onnx"
    onnx.save(ir.to_proto(ir.from_onnx_text(text)), path)
    return path


def packed(path: Path, *options: str) -> tuple[dict[str, Any], str]:
    out = path.parent / "out"
    done = webbuild("pack", path, "-o", out, "--force", "--no-verify", *options)
    assert done.code == 0, done.stderr
    (spec,) = json.loads((out / "manifest.json").read_text("utf-8"))["inputs"]
    return spec, " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("factor", "offset", "scale", "mean", "said"),
    [
        (1, 0.5, 1 / 255, 0, "pixel values 0..255 times 1/255 (a guess: the other usual ranges make no clear"),
        (0.05, 127, 1, 0, "pixel values 0..255 as they are (likely: the answers depend"),
        (200, -0.2, 1 / 127.5, 1, "pixel values 0..255 times 1/127.5, minus 1 (likely: with 0..1 the answers to"),
    ],
)
@pytest.mark.parametrize("layout", SHAPES)
def test_the_range_is_the_one_with_which_answers_depend_on_the_picture(
    factor: float,
    offset: float,
    scale: float,
    mean: float,
    said: str,
    layout: str,
    tmp_path: Path,
) -> None:
    spec, told = packed(model(tmp_path, factor, offset, layout))
    assert (spec["kind"], spec["layout"], spec["mean"]) == ("image", layout, [mean] * 3)
    assert spec["scale"] == pytest.approx(scale)
    assert said in told


def test_what_the_graph_makes_of_pixel_values_is_not_tried(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    text = "g (float[1,3,24,32] x) => (float[1,3,24,32] y) <float o = {127.5}> { a = Sub (x, o) y = Div (a, o) }"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    spec, told = packed(path)
    assert (spec["scale"], spec["mean"]) == (1, [0, 0, 0])
    assert "pixel values 0..255 as they are (sure: the graph itself normalizes 0..255 to -1..1; RGB is a guess" in told


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("float[1,1,24,32]", "in grey, stretched to 32 x 24, pixel values 0..255 times 1/255 (a guess"),
        ("float[1,24,32,1]", "in grey, stretched to 32 x 24, pixel values 0..255 times 1/255 (a guess"),
        ("uint8[1,24,32,1]", "in grey, stretched to 32 x 24, pixel values 0..255 as they are (sure: it takes bytes)"),
        ("uint8[1,3,24,32]", "RGB, stretched to 32 x 24, pixel values 0..255 as they are (sure: it takes bytes; RGB"),
    ],
)
def test_pictures_of_one_channel_and_of_bytes(kind: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    shape = kind[kind.index("[") :]
    text = f"g ({kind} x) => (float{shape} y) {{ a = Cast <to = 1> (x) y = Relu (a) }}"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    spec, told = packed(path)
    assert (spec["kind"], spec["dtype"]) == ("image", "uint8" if kind.startswith("uint8") else "float32")
    assert len(spec["mean"]) == (3 if spec["color"] == "rgb" else 1)
    assert said in told


def test_the_preprocessing_of_a_configuration_next_to_the_model_is_not_tried(tmp_path: Path) -> None:
    path = model(tmp_path, 0.05, 127, "nchw")
    config = {"do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.25] * 3, "resample": 3}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config))
    spec, told = packed(path)
    assert (spec["scale"], spec["mean"], spec["std"]) == (pytest.approx(1 / 255), [0.5] * 3, [0.25] * 3)
    assert spec["letterbox"]["interpolation"] == "bicubic"
    assert "divided by 0.25 (as preprocessor_config.json says); change it with --scale" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "g (float[1,4,24,32] x) => (float[1,4,24,32] y) { y = Relu (x) }",
            "input 'x' has 4 channels: the fourth may be alpha",
        ),
        (
            "g (float[1,76,32,1] x) => (float[1,1,1,1] y) { a = Sin (x) y = ReduceMean (a) }",
            "input 'x' may be a spectrogram, not a grey picture as with --color gray, so it takes .npz samples",
        ),
    ],
    ids=["four channels", "spectrogram"],
)
def test_what_may_be_no_picture_stays_a_tensor(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    spec, told = packed(path)
    assert spec["kind"] == "tensor"
    assert said in told


def test_a_latent_is_no_picture_with_alpha(tmp_path: Path) -> None:
    """The decoder of a diffusion model, of which no side is known."""
    path = tmp_path / "net.onnx"
    text = "g (float[1,4,h,w] latent_sample) => (float[1,4,h,w] y) { y = Relu (latent_sample) }"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    spec, _ = packed(path)
    assert (spec["kind"], spec["shape"]) == ("tensor", [1, 4, 128, 128])


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (100, "pixel values 0..255 as they are (likely: with 0..1 the answers to two photographs are empty"),
        (1e6, "pixel values 0..255 times 1/255 (a guess"),
    ],
)
def test_a_range_with_which_nothing_is_found_is_not_taken_where_another_finds_something(
    bound: float, said: str, tmp_path: Path
) -> None:
    """`rows` lists the numbers above a bound; the other output depends most on an image of 0..1."""
    path = tmp_path / "net.onnx"
    onnx.save(
        ir.to_proto(
            ir.from_onnx_text(f"""{HEADER} g (float[1,3,24,32] x) => (float[4,n] rows, float[1,3,24,32] y)
    <float bound = {{{bound}}}, float f = {{9.0}}, float o = {{0.5}}> {{
      above = Greater (x, bound) at = NonZero (above) rows = Cast <to = 1> (at)
      a = Sub (x, o) b = Mul (a, f) y = Sigmoid (b)
    }}""")
        ),
        path,
    )
    assert said in " ".join(webbuild("pack", path, "--dry-run").stderr.split())


@pytest.mark.parametrize(
    ("answer", "empty"),
    [
        ({"n": np.zeros(1), "boxes": np.full((1, 9, 4), -1.0)}, True),
        ({"n": np.ones(1), "boxes": np.full((1, 9, 4), -1.0)}, False),
        ({"rows": np.zeros((0, 6)), "features": np.arange(9.0)}, True),
        ({"y": np.array([0.0, 1.0])}, False),
    ],
)
def test_what_finds_nothing(answer: dict[str, Any], empty: bool) -> None:
    assert is_empty(answer) == empty


def test_a_slow_model_is_tried_less(tmp_path: Path) -> None:
    image = image_input(24, 32, "x")
    ways = [with_range(image, each) for each in RANGES]
    runner = NativeRunner(model(tmp_path, 1, 0.5))
    assert len(list(PreprocessingTrials(image, runner).dependences(ways))) == len(ways)
    assert len(list(PreprocessingTrials(image, runner, seconds=0).dependences(ways))) == 1


def test_four_channels_of_a_large_picture_are_rgba_and_of_a_small_one_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    for shape, options in (("1,4,192,224", ()), ("1,192,224,4", ()), ("1,4,24,32", ("--scale", "1/255"))):
        text = f"g (float[{shape}] x) => (float[{shape}] y) {{ y = Sigmoid (x) }}"
        onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
        spec, told = packed(path, *options)
        assert (spec["kind"], spec["color"], spec["mean"], spec["std"]) == ("image", "rgba", [0] * 4, [1] * 4)
        assert ("its fourth channel is assumed to be alpha, and filled with 255" in told) == (not options)
    spec, _ = packed(path, "--scale", "1/255", "--mean", "0.5,0.4,0.3", "--std", "0.5")
    assert (spec["mean"], spec["std"]) == ([0.5, 0.4, 0.3, 0], [0.5] * 4)
    done = webbuild("pack", path, "--dry-run", "--color", "bgr")
    assert done.error == "wrong-layout"


@pytest.mark.parametrize(
    ("shape", "body", "default"),
    [
        ("[1]", "y = Mul (x, exposure)", 1),
        ("[1,1]", "y = Mul (x, exposure)", 1),
        ("[]", "y = Mul (x, exposure)", 1),
        ("[1]", "r = Log (exposure) y = Div (x, r)", 0.5),
    ],
)
def test_a_number_beside_a_picture_gets_a_value_with_which_the_picture_matters(
    shape: str, body: str, default: float, tmp_path: Path
) -> None:
    path = tmp_path / "net.onnx"
    text = f"g (float{shape} exposure, float[1,3,24,32] x) => (float[1,3,24,32] y) {{ {body} }}"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    done = webbuild("pack", path, "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    number, picture = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["inputs"]
    assert (number["kind"], number["default"], picture["kind"]) == ("number", default, "image")
    assert f"input 'exposure' is a number, assumed to be {default:g}; run(picture" in done.stderr
    types = (tmp_path / "out" / "net.d.ts").read_text("utf-8")
    assert 'numbers?: { "exposure"?: number | undefined } | undefined;' in types
    assert 'data-number="exposure"' in (tmp_path / "out" / "index.html").read_text("utf-8")


def test_a_line_of_numbers_beside_a_picture_keeps_both_tensors(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    text = "g (float[3] weights, float[1,24,32,3] x) => (float[1,24,32,3] y) { y = Mul (x, weights) }"
    onnx.save(ir.to_proto(ir.from_onnx_text(f"{HEADER} {text}")), path)
    assert webbuild("pack", path, "-o", tmp_path / "out", "--no-verify").code == 0
    inputs = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["inputs"]
    assert [each["kind"] for each in inputs] == ["tensor", "tensor"]


def test_what_is_said_is_not_guessed(tmp_path: Path) -> None:
    path = model(tmp_path, 0.05, 127)
    assert packed(path, "--task", "tensor")[0]["kind"] == "tensor"
    assert packed(path, "--scale", "1/255")[0]["scale"] == pytest.approx(1 / 255)
    np.savez(tmp_path / "given.npz", x=np.full((1, 3, 24, 32), 120, np.float32))
    assert packed(path, "--sample", str(tmp_path / "given.npz"))[0]["kind"] == "tensor"


def test_answers_that_are_the_same_do_not_depend_on_the_picture() -> None:
    one = {"y": np.arange(4.0), "z": np.zeros(3)}
    assert picture_dependence(one, one) == 0
    assert picture_dependence({"y": -np.ones(4)}, {"y": np.ones(4)}) == 1
    assert picture_dependence({"y": np.zeros(4)}, {"y": np.zeros(5)}) == 1
    assert np.isnan(picture_dependence({"y": np.array([np.nan])}, {"y": np.array([1.0])}))
