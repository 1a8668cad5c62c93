"""The reference for an image in tiles equals that for the whole image where tiles are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.manifests import image_input, manifest
from tests.native import Session
from tests.picture_nets import compact
from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.manifest import Input, Task
from webbuild.manifest.tasks.image import ImageTask
from webbuild.manifest.tasks.matte import MatteTask
from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.matte_alpha import Matte
from webbuild.tasks.decoding.output_picture import OutputPicture
from webbuild.verify.inputs import VerifyInput
from webbuild.verify.tiled_reference import MOST_TILES, Run, with_tiled

WIDTH, HEIGHT, TILE = 100, 70, 64
STRETCHED = msgspec.structs.replace(image_input(TILE, TILE, "x"), letterbox=Letterbox(mode="stretch"))


def picture(folder: Path, width: int = WIDTH, height: int = HEIGHT) -> Path:
    pixels = np.random.default_rng(5).integers(0, 256, (height, width, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(folder / "picture.png")
    return folder / "picture.png"


def in_tiles(given: VerifyInput, task: Task, run: Run, *others: Input) -> Any:
    made = msgspec.structs.replace(manifest(task), inputs=[STRETCHED, *others])
    (found,) = with_tiled(made, [given], run)
    return None if found.tiled is None else found.tiled[0]


def values(file: Path) -> NDArray[np.float32]:
    pixels = np.asarray(Image.open(file)).astype(np.float64)
    return (pixels / 255).astype(np.float32).transpose(2, 0, 1)[None]


def levels(shares: NDArray[Any]) -> NDArray[np.float64]:
    """Return unrounded levels, channels last."""
    return np.asarray(255 * np.clip(shares[0].transpose(1, 2, 0), 0, 1), np.float64)


def test_a_picture_in_exact_tiles_is_that_of_the_whole(tmp_path: Path) -> None:
    file = picture(tmp_path)
    task = ImageTask(output="y", scale=4, tiles=TilePlan(halo=4, multiple=1, exact=True))
    found = in_tiles(VerifyInput("noise", {}, file), task, Session(compact(TILE, TILE)).run)
    assert isinstance(found, OutputPicture)
    whole = levels(Session(compact(HEIGHT, WIDTH)).run({"x": values(file)})["y"])
    assert found.rgba.shape == (4 * HEIGHT, 4 * WIDTH, 4)
    assert np.abs(found.rgba[..., :3] - whole).max() < 0.51
    assert (found.rgba[..., 3] == 255).all()


def test_a_halo_that_is_too_small_is_seen(tmp_path: Path) -> None:
    width = 2 * TILE - 1  # of two tiles, which overlap by a pixel
    file = picture(tmp_path, width)
    task = ImageTask(output="y", scale=4, tiles=TilePlan(halo=0, multiple=1, exact=True))
    found = in_tiles(VerifyInput("noise", {}, file), task, Session(compact(TILE, TILE)).run)
    whole = levels(Session(compact(HEIGHT, width)).run({"x": values(file)})["y"])
    assert np.abs(found.rgba[..., :3] - whole).max() > 2


def test_alpha_and_its_foreground_are_those_of_the_whole(tmp_path: Path) -> None:
    def run(feeds: Any) -> Tensors:
        x = feeds["x"]
        return {"y": x[:, :1], "front": 1 - x}

    file = picture(tmp_path)
    plan = TilePlan(halo=0, multiple=1, exact=True)
    found = in_tiles(VerifyInput("noise", {}, file), MatteTask(output="y", foreground="front", tiles=plan), run)
    assert isinstance(found, Matte)
    source = np.asarray(Image.open(file))
    assert (found.alpha == source[..., 0]).all()
    assert found.foreground is not None
    assert (found.foreground == 255 - source).all()


def test_a_mask_is_cut_as_its_picture_is(tmp_path: Path) -> None:
    def run(feeds: Any) -> Tensors:
        return {"y": np.repeat(feeds["mask"], 3, axis=1) / 2 + feeds["x"] * 0}

    hole = np.random.default_rng(6).random((HEIGHT, WIDTH)) < 0.3
    mask = MaskInput(name="mask", shape=[1, 1, TILE, TILE], empties_picture=True)
    task = ImageTask(output="y", tiles=TilePlan(halo=2, multiple=1, exact=True))
    file = picture(tmp_path)
    found = in_tiles(VerifyInput("noise", {}, file, hole=hole), task, run, mask)
    source = np.asarray(Image.open(file))
    assert (found.rgba[..., :3] == np.where(hole[..., None], 128, source)).all()


@pytest.mark.parametrize(
    ("width", "height", "plan"),
    [
        (TILE, TILE, TilePlan(halo=4, multiple=1, exact=True)),
        (WIDTH, HEIGHT, None),
        (WIDTH, HEIGHT, TilePlan(halo=32, multiple=1, exact=True)),
        (3, (MOST_TILES + 1) * TILE, TilePlan(halo=0, multiple=1, exact=True)),
    ],
    ids=["of the input's size", "resized", "no room for the halo", "too many tiles"],
)
def test_there_is_nothing_to_compare(width: int, height: int, plan: TilePlan | None, tmp_path: Path) -> None:
    def run(feeds: Any) -> Tensors:
        raise AssertionError("a tile was run")

    given = VerifyInput("noise", {}, picture(tmp_path, width, height))
    assert in_tiles(given, ImageTask(output="y", tiles=plan), run) is None
