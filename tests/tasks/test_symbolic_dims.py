"""Sizes for dynamic dimensions: given, guessed, or requested by name."""

from __future__ import annotations

import pytest

from webbuild.errors import USAGE, WebbuildError
from webbuild.model.signature import Dim, ModelSignature, TensorSpec
from webbuild.tasks.options.symbolic_dims import parse_dims, resolve_dims


def model(*shapes: tuple[Dim, ...], **metadata: str) -> ModelSignature:
    inputs = tuple(TensorSpec(f"x{i}", "float32", shape) for i, shape in enumerate(shapes))
    return ModelSignature("m.onnx", "", metadata, inputs, ())


def test_names_and_axes_are_read() -> None:
    assert parse_dims(("height=640", "images:2=32", "a=b=3")) == {"height": 640, "images:2": 32, "a=b": 3}


@pytest.mark.parametrize("text", ["", "height", "height=", "=3", "height=0", "height=-1", "height=1.5", "h=٣", "h= 3"])
def test_anything_else_is_bad_with_an_example(text: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        parse_dims((text,))
    assert (caught.value.code, caught.value.exit_code) == ("invalid-dimension", USAGE)
    assert "--dim height=640" in caught.value.fix


def test_fixed_sizes_need_nothing() -> None:
    sizes = resolve_dims(model((1, 3, 8, 8), ()), {})
    assert sizes.dims == {}
    assert sizes.assumptions == ()


@pytest.mark.parametrize("sizes", [(3, 64, 64), (108, 180, 1)])
def test_the_free_first_axis_of_a_picture_is_its_batch_whatever_its_name(sizes: tuple[int, ...]) -> None:
    assert resolve_dims(model(("unk__1584", *sizes)), {}).dims == {"x0:0": 1}


@pytest.mark.parametrize("name", ["batch", "N", "b", "batch_size", "DynamicDimension.0", None])
def test_a_batch_is_taken_for_one_and_that_is_said(name: str | None) -> None:
    sizes = resolve_dims(model((name, 3)), {})
    assert sizes.dims == {"x0:0": 1}
    assert "batch size is 1" in sizes.assumptions[0]


def test_the_size_of_pictures_comes_from_the_metadata() -> None:
    sizes = resolve_dims(model((1, 3, "h", "w"), imgsz="[320, 640]"), {})
    assert sizes.dims == {"x0:2": 320, "x0:3": 640}


@pytest.mark.parametrize("imgsz", ["[320]", "[0, 0]", "320", "__import__('os')", "[320, 'x']", "[" * 5000, ""])
def test_metadata_that_is_no_size_is_not_believed(imgsz: str) -> None:
    with pytest.raises(WebbuildError, match="cannot guess"):
        resolve_dims(model((1, 3, "h", "w"), imgsz=imgsz), {})


def test_a_given_size_wins_over_a_guess_and_an_axis_over_a_name() -> None:
    sizes = resolve_dims(model(("batch", "h"), ("batch", "h")), {"batch": 2, "h": 5, "x1:1": 6})
    assert sizes.dims == {"x0:0": 2, "x0:1": 5, "x1:0": 2, "x1:1": 6}
    assert sizes.assumptions == ()


def test_missing_ones_are_all_named_with_the_option_to_give() -> None:
    with pytest.raises(WebbuildError) as caught:
        resolve_dims(model((1, "length", None)), {})
    error = caught.value
    assert (error.code, error.exit_code) == ("unknown-dimension", USAGE)
    assert "--dim length=N" in error.message
    assert "--dim x0:2=N" in error.message
    assert "--dim length=640" in error.fix


def test_one_that_names_nothing_is_an_error_with_the_free_ones() -> None:
    with pytest.raises(WebbuildError) as caught:
        resolve_dims(model(("batch", 3)), {"width": 5})
    assert caught.value.code == "unused-dimension"
    assert "width" in caught.value.message
    assert "batch" in caught.value.fix


def test_a_misspelt_name_is_an_error_with_the_nearest_even_where_others_are_missing() -> None:
    with pytest.raises(WebbuildError, match=r"--dim hieght names no .*; the nearest name is height") as caught:
        resolve_dims(model((1, 3, "height", "width")), {"hieght": 640})
    assert caught.value.code == "unused-dimension"


def test_one_that_names_a_fixed_axis_is_an_error_too() -> None:
    with pytest.raises(WebbuildError, match="names no free dimension of an input: it is 3, fixed by the export"):
        resolve_dims(model((1, 3)), {"x0:1": 5})


@pytest.mark.parametrize(("dim", "size"), [("past + tokens", 9), ("past+1", 5), ("2 * tokens", 10)])
def test_a_dimension_computed_from_others_follows_them(dim: str, size: int) -> None:
    assert resolve_dims(model(("past", "tokens"), ("batch", dim)), {"past": 4, "tokens": 5}).dims["x1:1"] == size
