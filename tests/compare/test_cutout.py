"""Comparing cutouts: equal up to rounding is the same; an empty, constant or wrong one is not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import BROWSER
from webbuild.compare.vacuity import mark_vacuous
from webbuild.tasks.decoding.matte_alpha import Matte
from webbuild.tasks.decoding.matte_cutout import cut_out
from webbuild.tasks.metrics.compare_cutout import compare_cutouts

ABOUT = ComparedOutput("webgpu", "desk", "decoded", "")
PICTURE = np.random.default_rng(0).integers(0, 256, (40, 60, 4), np.uint8)
PICTURE[..., 3] = 255
SOFT = 255 / (1 + np.exp(np.hypot(*np.mgrid[-20:20, -30:30]) / 2 - 7))
ALPHA = np.floor(SOFT + 0.5).astype(np.uint8)
"""A disc whose outline is about 10 pixels wide."""
RIGHT = cut_out(PICTURE, ALPHA)


@pytest.fixture
def expected(tmp_path: Path) -> Matte:
    Image.fromarray(PICTURE[..., :3]).save(tmp_path / "desk.png")
    return Matte(ALPHA, picture=tmp_path / "desk.png")


def judged(expected: Matte, pixels: NDArray[np.uint8] | None) -> Comparison:
    (found,) = mark_vacuous(compare_cutouts(ABOUT, expected, Matte(ALPHA, pixels), BROWSER))
    assert found.subject.name == "cutout"
    return found


def test_the_same_is_the_same_up_to_a_level_of_rounding(expected: Matte) -> None:
    assert judged(expected, RIGHT).verdict == "OK"
    off = RIGHT.copy()
    off[::2, ::2, :3] ^= 1
    assert judged(expected, off).verdict == "OK"


def test_colours_of_what_is_transparent_do_not_matter(expected: Matte) -> None:
    assert judged(expected, np.where(RIGHT[..., 3:] > 0, RIGHT, 0).astype(np.uint8)).verdict == "OK"


@pytest.mark.parametrize(
    "got",
    [
        None,
        RIGHT * 0,
        RIGHT * 0 + 255,
        RIGHT * 0 + 99,
        RIGHT[..., [2, 1, 0, 3]],
        PICTURE,
        cut_out(PICTURE, 255 - ALPHA),
        np.roll(RIGHT, 1, 1),
        np.concatenate([RIGHT[..., :3] * (RIGHT[..., 3:] // 255), RIGHT[..., 3:]], axis=-1),
        RIGHT[:, :5],
    ],
    ids=["missing", "empty", "white", "grey", "bgr", "whole", "inverted", "shifted", "black outline", "smaller"],
)
def test_another_cutout_differs(expected: Matte, got: NDArray[np.uint8] | None) -> None:
    found = judged(expected, got)
    assert found.verdict == "DIFFERS"
    assert found.reason


def test_a_reference_that_cuts_nothing_out_proves_nothing(expected: Matte) -> None:
    nothing = msgspec.structs.replace(expected, alpha=ALPHA * 0)
    assert judged(nothing, RIGHT * 0).verdict == "VACUOUS"


def test_a_pixel_that_rounds_to_opaque_has_the_picture_s_colours(expected: Matte) -> None:
    almost = msgspec.structs.replace(
        expected, alpha=np.full_like(ALPHA, 254), foreground=np.full((*ALPHA.shape, 3), 9, np.uint8)
    )
    opaque = Matte(np.full_like(ALPHA, 255), PICTURE)
    assert [each.verdict for each in compare_cutouts(ABOUT, almost, opaque, BROWSER)] == ["OK"]
    other = Matte(np.full_like(ALPHA, 255), PICTURE[..., [2, 1, 0, 3]])
    assert [each.verdict for each in compare_cutouts(ABOUT, almost, other, BROWSER)] == ["DIFFERS"]


def test_without_a_picture_there_is_no_cutout_to_compare() -> None:
    assert compare_cutouts(ABOUT, Matte(ALPHA), Matte(ALPHA), BROWSER) == []


def test_alpha_is_times_the_picture_s_own_and_outlines_take_the_foreground_s_colours() -> None:
    rgba = np.full((1, 3, 4), (10, 20, 30, 128), np.uint8)
    cut = cut_out(rgba, np.array([[0, 128, 255]], np.uint8), np.full((1, 3, 3), 200, np.uint8))
    assert cut.tolist() == [[[10, 20, 30, 0], [200, 200, 200, 64], [10, 20, 30, 128]]]
