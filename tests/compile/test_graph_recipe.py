"""The first operators on a graph's image input show which pixel value range it expects."""

from __future__ import annotations

import msgspec
import onnx_ir as ir
import pytest

from tests.manifests import image_input
from webbuild.compile.graph_recipe import GraphRecipe, read_graph_recipe

IMAGENET = "float[1,3,1,1] m = {0.485, 0.456, 0.406}, float[1,3,1,1] s = {0.229, 0.224, 0.225}"
CAFFE = "float[1,3,1,1] m = {103.939, 116.779, 123.68}"
NORM = "float[3] g = {1,1,1}, float[3] b = {0,0,0}, float[3] m = {120,120,120}, float[3] v = {3600,3600,3600}"


def recipe(constants: str, nodes: str) -> GraphRecipe | None:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[1,3,24,32] x) => (y) <{constants}> {{ {nodes} }}'
    return read_graph_recipe(ir.from_onnx_text(text), image_input(24, 32, "x"))


@pytest.mark.parametrize(
    ("constants", "nodes", "values", "low", "high"),
    [
        ("float a = {255}", "d = Div (x, a) y = Relu (d)", "0..255", 0, 1),
        ("float a = {127.5}, float b = {128}", "c = Sub (x, a) d = Div (c, b) y = Relu (d)", "0..255", -1, 1),
        ("float a = {0.0078431}, float b = {-1}", "c = Mul (x, a) d = Add (b, c) y = Relu (d)", "0..255", -1, 1),
        (NORM, "c = BatchNormalization (x, g, b, m, v) y = Relu (c)", "0..255", -2, 2.25),
        ("float a = {2}, float b = {1}", "c = Mul (a, x) d = Sub (c, b) y = Relu (d)", "0..1", -1, 1),
        (IMAGENET, "c = Sub (x, m) d = Div (c, s) y = Relu (d)", "0..1", -2, 2.4),
        (IMAGENET, "c = Sub (x, m) d = Div (c, s) e = Relu (d) y = Add (x, e)", "0..1", -2, 2.4),
        ("float a = {255}", "d = Mul (x, a) y = Relu (d)", "0..1", 0, 255),
        ("float a = {0.5}", "c = Mul (x, a) d = Add (c, a) y = Relu (d)", "-1..1", 0, 1),
        (CAFFE, "c = Sub (x, m) y = Relu (c)", "0..255", -115, 140),
    ],
)
def test_what_the_graph_makes_of_a_range_must_be_usual(
    constants: str, nodes: str, values: str, low: float, high: float
) -> None:
    found = recipe(constants, nodes)
    assert found is not None
    assert found.values.name == values
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02 * (high - low))


@pytest.mark.parametrize(
    ("constants", "nodes", "zero"),
    [
        (IMAGENET, "c = Sub (x, m) d = Div (c, s) y = Relu (d)", (123.675, 116.28, 103.53)),
        (CAFFE, "c = Sub (x, m) y = Relu (c)", (123.68, 116.779, 103.939)),
        ("float a = {127.5}, float b = {128}", "c = Sub (x, a) d = Div (c, b) y = Relu (d)", (127.5,) * 3),
    ],
    ids=["0..1", "BGR", "0..255"],
)
def test_what_becomes_0_is_told_in_levels_of_red_green_and_blue(
    constants: str, nodes: str, zero: tuple[float, ...]
) -> None:
    found = recipe(constants, nodes)
    assert found is not None
    assert found.zero == pytest.approx(zero)


def test_a_picture_without_a_batch_axis_is_read_too() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[24,32,3] x) => (y)
      <float[3] m = {123.675, 116.28, 103.53}, float[3,1,1] s = {58.395, 57.12, 57.375}> {
        c = Sub (x, m) t = Transpose <perm = [2, 0, 1]> (c) d = Div (t, s) y = Relu (d)
      }"""
    image = msgspec.structs.replace(image_input(24, 32, "x"), shape=[24, 32, 3], layout="hwc")
    found = read_graph_recipe(ir.from_onnx_text(text), image)
    assert found is not None
    assert (found.values.name, found.color) == ("0..255", "rgb")
    assert found.low == pytest.approx(-2, abs=0.1)


@pytest.mark.parametrize(
    ("constants", "nodes"),
    [
        ("float a = {1}", "y = Relu (x)"),
        ("float a = {7}", "c = Mul (x, a) d = Sub (c, a) y = Relu (d)"),
        ("float a = {127.5}", "c = Sub (a, x) y = Relu (c)"),
        ("float a = {127.5}", "c = Sub (x, a) d = Relu (x) y = Add (c, d)"),
    ],
    ids=["nothing", "no usual range", "a negative", "one of two branches"],
)
def test_other_beginnings_say_nothing(constants: str, nodes: str) -> None:
    assert recipe(constants, nodes) is None


@pytest.mark.parametrize(
    ("constants", "nodes", "color"),
    [
        (IMAGENET, "c = Sub (x, m) d = Div (c, s) y = Relu (d)", "rgb"),
        (CAFFE, "c = Sub (x, m) y = Relu (c)", "bgr"),
        (f"{CAFFE}, int64[3] o = {{2, 1, 0}}", "r = Gather <axis = 1> (x, o) c = Sub (r, m) y = Relu (c)", "rgb"),
        ("float a = {255}", "d = Div (x, a) y = Relu (d)", None),
    ],
)
def test_the_order_of_channels_is_that_of_the_means(constants: str, nodes: str, color: str | None) -> None:
    found = recipe(constants, nodes)
    assert found is not None
    assert found.color == color
