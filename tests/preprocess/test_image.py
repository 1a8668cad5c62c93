"""Reading images as a browser does: EXIF orientation applied, alpha over white, untrusted input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.manifests import image_input
from webbuild.errors import USAGE, WebbuildError
from webbuild.preprocess.image import composite_on_white, image_to_tensor, load_image

ORIENTATION = 0x0112
PIXELS = np.random.default_rng(0).integers(0, 256, (4, 6, 3)).astype(np.uint8)


def turned(orientation: int) -> NDArray[np.uint8]:
    """Return the stored pixels that a viewer shows as PIXELS once it applies the EXIF orientation."""
    stored = {
        1: PIXELS,
        2: PIXELS[:, ::-1],
        3: PIXELS[::-1, ::-1],
        4: PIXELS[::-1],
        5: PIXELS.transpose(1, 0, 2),
        6: np.rot90(PIXELS, 1),
        7: PIXELS[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(PIXELS, -1),
    }[orientation]
    return np.ascontiguousarray(stored)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_turned_upright(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "picture.png"
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    Image.fromarray(turned(orientation)).save(path, exif=exif)
    np.testing.assert_array_equal(load_image(path)[..., :3], PIXELS)


@pytest.mark.parametrize("orientation", [0, 9, 255])
def test_an_orientation_that_does_not_exist_turns_nothing(tmp_path: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    Image.fromarray(PIXELS).save(tmp_path / "picture.png", exif=exif)
    np.testing.assert_array_equal(load_image(tmp_path / "picture.png")[..., :3], PIXELS)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16"])
def test_every_kind_of_picture_becomes_four_channels(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("picture.jpg" if mode == "CMYK" else "picture.png")
    picture = Image.new("I;16", (6, 4), 65535) if mode == "I;16" else Image.fromarray(PIXELS).convert(mode)
    picture.save(path)
    rgba = load_image(path)
    assert rgba.shape == (4, 6, 4)
    assert str(rgba.dtype) == "uint8"


def test_sixteen_bits_keep_their_brightness(tmp_path: Path) -> None:
    Image.new("I;16", (6, 4), 0x8000).save(tmp_path / "grey.png")
    assert load_image(tmp_path / "grey.png")[0, 0].tolist() == [128, 128, 128, 255]


def test_transparency_shows_white_and_is_not_rounded() -> None:
    rgba = np.array([[[10, 20, 30, 0], [10, 20, 30, 255], [10, 20, 30, 51]]], np.uint8)
    color = composite_on_white(rgba)
    assert color[0, 0].tolist() == [255, 255, 255]
    assert color[0, 1].tolist() == [10, 20, 30]
    np.testing.assert_allclose(color[0, 2], [206, 208, 210], rtol=0, atol=1e-12)


def test_a_picture_of_the_size_of_the_input_is_only_scaled() -> None:
    rgba = np.dstack([np.random.default_rng(1).integers(0, 256, (8, 8, 3)), np.full((8, 8), 255)]).astype(np.uint8)
    tensor, placement = image_to_tensor(rgba, image_input(8, 8))
    np.testing.assert_array_equal(tensor[0], (rgba[..., :3].transpose(2, 0, 1) * (1 / 255)).astype(np.float32))
    assert (placement.left, placement.top, placement.width, placement.height) == (0, 0, 8, 8)


def test_what_the_picture_does_not_cover_is_grey() -> None:
    tensor, placement = image_to_tensor(np.full((2, 8, 4), 255, np.uint8), image_input(8, 8))
    assert (placement.left, placement.top, placement.width, placement.height) == (0, 3, 8, 2)
    np.testing.assert_array_equal(tensor[0, :, 3:5], 1)
    np.testing.assert_array_equal(tensor[0, :, :3], np.float32(114 / 255))
    np.testing.assert_array_equal(tensor[0, :, 5:], np.float32(114 / 255))


def test_mapping_into_the_input_and_back_ends_where_it_began() -> None:
    _, placement = image_to_tensor(np.zeros((480, 640, 4), np.uint8), image_input(192, 192))
    points = np.array([[0.0, 24.0], [192.0, 168.0], [96.0, 96.0]])
    np.testing.assert_allclose(placement.to_source(points, clamp=True), [[0, 0], [640, 480], [320, 240]], atol=1e-9)
    assert placement.to_source(np.array([-10.0, 300.0]), clamp=True).tolist() == [0, 480]
    assert placement.to_source(np.array([-10.0, 300.0]), clamp=False)[0] < 0


@pytest.mark.parametrize("data", [b"", b"hello", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0" + bytes(20), b"GIF89a"])
def test_what_is_no_picture_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "picture.jpg").write_bytes(data)
    with pytest.raises(WebbuildError) as caught:
        load_image(tmp_path / "picture.jpg")
    assert (caught.value.code, caught.value.exit_code) == ("unreadable-image", USAGE)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP"])
def test_what_every_browser_decodes_is_read(tmp_path: Path, kind: str) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "picture", kind)
    assert load_image(tmp_path / "picture").shape == (*PIXELS.shape[:2], 4)


@pytest.mark.parametrize("kind", ["TIFF", "ICO", "PPM", "TGA", "JPEG2000", "PCX", "SGI", "DDS", "ICNS", "PDF", "EPS"])
def test_other_formats_are_refused(tmp_path: Path, kind: str) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "picture.png", kind)
    with pytest.raises(WebbuildError) as caught:
        load_image(tmp_path / "picture.png")
    assert (caught.value.code, caught.value.exit_code) == ("unreadable-image", USAGE)
    assert "JPEG, PNG or WebP" in caught.value.fix


def test_a_picture_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (99, 99, 3)).astype(np.uint8)).save(tmp_path / "a.jpg")
    data = (tmp_path / "a.jpg").read_bytes()
    (tmp_path / "a.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(WebbuildError, match=r"a\.jpg"):
        load_image(tmp_path / "a.jpg")


def test_a_picture_larger_than_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "bomb.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4)
    with pytest.raises(WebbuildError, match="bomb"):
        load_image(tmp_path / "bomb.png")
