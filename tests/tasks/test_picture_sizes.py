"""`--size`: parsed, and applied to the dynamic heights and widths of image inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models import parsed, save
from webbuild.errors import USAGE, WebbuildError
from webbuild.model.load import load_onnx
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.picture_sizes import PictureSize, parse_size, parse_sizes, with_size

WIDE = PictureSize(640, 480)


def signature(folder: Path, inputs: str) -> ModelSignature:
    text = f'<ir_version: 8, opset_import: ["" : 18]> m ({inputs}) => (float[p,q,r,s] y) {{ y = Identity (x) }}'
    return load_onnx(save(parsed(text), folder / "m.onnx")).signature


@pytest.mark.parametrize(("text", "size"), [("640", PictureSize(640, 640)), (" 640x480 ", WIDE), (None, None)])
def test_a_size_is_a_square_or_width_and_height(text: str | None, size: PictureSize | None) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "640x", "x480", "640X480", "-1", "1.5", "640x0", "999999", "६४०"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(WebbuildError, match="neither PIXELS nor WIDTHxHEIGHT") as caught:
        parse_size(text)
    assert (caught.value.code, caught.value.exit_code) == ("invalid-size", USAGE)


def test_several_sizes_keep_their_order() -> None:
    assert parse_sizes("640x480, 320") == (WIDE, PictureSize(320, 320))
    assert parse_sizes(None) == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [("320,640,320x320", "320x320 is there twice"), ("320,", "nothing is neither"), ("320,big", "big is neither")],
)
def test_a_list_with_a_part_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(WebbuildError, match=why) as caught:
        parse_sizes(text)
    assert caught.value.code == "invalid-size"


def test_several_sizes_are_refused_with_the_reason() -> None:
    with pytest.raises(WebbuildError, match="this command takes one size"):
        parse_size("320,640")


@pytest.mark.parametrize(
    ("inputs", "dims"),
    [
        ("float[n,3,h,w] x", {"h": 480, "w": 640}),
        ("float[n,h,w,3] x", {"h": 480, "w": 640}),
        ("float[n,3,480,w] x", {"w": 640}),
        ("float[n,3,480,640] x", {}),
        ("float[n,3,h,w] x, int64[n,a,b] pixel_mask", {"h": 480, "w": 640, "a": 480, "b": 640}),
        ("float[1,3,8,8] small, float[n,3,h,w] x", {"h": 480, "w": 640}),
    ],
)
def test_free_heights_and_widths_get_it(tmp_path: Path, inputs: str, dims: dict[str, int]) -> None:
    assert with_size(signature(tmp_path, inputs), WIDE, {"n": 2}) == {"n": 2, **dims}


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ("float[n,3,640,640] x", "input 'x' takes pictures of 640x640, fixed when it was exported"),
        ("float[n,3,h,320] x", "input 'x' takes pictures of 320xany, fixed when it was exported"),
        ("float[n,3,224,224] x, float[n,tokens] t", "pictures of 224x224"),
        ("float[n,5,h,w] x", "no input looks like a picture"),
    ],
)
def test_a_model_that_was_exported_for_another_size_is_refused(tmp_path: Path, inputs: str, said: str) -> None:
    with pytest.raises(WebbuildError, match=said) as caught:
        with_size(signature(tmp_path, inputs), WIDE, {})
    assert (caught.value.code, caught.value.exit_code) == ("fixed-size", USAGE)


@pytest.mark.parametrize("name", ["h", "x:2"])
def test_a_side_that_dim_gives_too_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WebbuildError, match=f"--size 640x480 and --dim {name}=480 both") as caught:
        with_size(signature(tmp_path, "float[n,3,h,w] x"), WIDE, {name: 480})
    assert (caught.value.code, caught.value.exit_code) == ("conflicting-options", USAGE)
