"""An input of the shape of a picture is one, and what pixel values become is tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from tests.commands.program import webbuild
from webbuild.compile.picture_input import picture_dependence

HEADER = '<ir_version: 8, opset_import: ["" : 17]>'
SHAPES = {"nchw": "1,3,24,32", "nhwc": "1,24,32,3"}


def model(tmp_path: Path, factor: float, offset: float, layout: str = "nchw") -> Path:
    """Return a model that tells pixels apart only where they lie around `offset`, `1 / factor` wide."""
    shape = SHAPES[layout]
    text = f"""{HEADER} g (float[{shape}] x) => (float[{shape}] y) <float o = {{{offset}}}, float f = {{{factor}}}> {{
      a = Sub (x, o) b = Mul (a, f) y = Sigmoid (b)
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
        (1, 0.5, 1 / 255, 0, "pixel values as 0..1 (a guess: the other usual ranges make no clear difference)"),
        (0.05, 127, 1, 0, "pixel values as 0..255 (with it answers depend"),
        (200, -0.2, 1 / 127.5, 1, "pixel values as -1..1 (with it answers depend"),
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
