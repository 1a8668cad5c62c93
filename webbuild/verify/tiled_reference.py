"""The reference's prediction for a picture in tiles, as the runtime runs it for a visitor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Manifest
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.image import image_to_tensor, input_size, load_image
from webbuild.preprocess.mask import find_mask, with_resized_hole
from webbuild.preprocess.tile_blend import put_tile
from webbuild.preprocess.tiles import Tile, fits_halo, tiles_of
from webbuild.runners.tensors import Tensors
from webbuild.tasks.registry import kind_of
from webbuild.tasks.run_context import RunContext
from webbuild.verify.inputs import VerifyInput

MOST_TILES = 64
"""Maximum number of tiles of all pictures together: a single photograph of a camera would take minutes."""

Run = Callable[[Mapping[str, NDArray[Any]]], Tensors]


def with_tiled(manifest: Manifest, inputs: Sequence[VerifyInput], run: Run) -> list[VerifyInput]:
    """Return the inputs with the reference's predictions in tiles, up to `MOST_TILES` tiles in total.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    left, inputs_with_tiles = MOST_TILES, []
    for verify_input in inputs:
        tiles = _tiles(manifest, verify_input)
        if 0 < len(tiles) <= left:
            left -= len(tiles)
            verify_input = msgspec.structs.replace(
                verify_input, tiled=_tiled_prediction(manifest, verify_input, tiles, run)
            )
        inputs_with_tiles.append(verify_input)
    return inputs_with_tiles


def _tiles(manifest: Manifest, verify_input: VerifyInput) -> list[Tile]:
    """Return the tiles in which the runtime runs a picture, none if there is nothing to compare.

    There is nothing to compare if the runtime resizes the picture, or if it is a single tile. Translucent pictures are
    left out, because their alpha bypasses the model.
    """
    plan = kind_of(manifest.task).tile_plan(manifest.task)
    spec = next((each for each in manifest.inputs if isinstance(each, ImageInput)), None)
    if (
        plan is None
        or spec is None
        or verify_input.file is None
        or verify_input.translucent
        or state_inputs(manifest.inputs)
    ):
        return []
    size = input_size(spec)
    height, width = load_image(verify_input.file).shape[:2]
    if (height, width) == size or not fits_halo(min(size), plan.halo, plan.multiple):
        return []
    return tiles_of(width, height, size, plan.halo, plan.multiple)


def _tiled_prediction(manifest: Manifest, verify_input: VerifyInput, tiles: Sequence[Tile], run: Run) -> Sequence[Any]:
    """Return the reference's prediction for a picture in tiles.

    Raises:
        WebbuildError: `reference-run-failed`.
    """
    kind, task = kind_of(manifest.task), manifest.task
    plan = kind.tile_plan(task)
    spec = next(each for each in manifest.inputs if isinstance(each, ImageInput))
    assert plan is not None
    assert verify_input.file is not None
    size, pixels = input_size(spec), load_image(verify_input.file)
    height, width = pixels.shape[:2]
    scale = kind.tiled_outputs(task)[0].scale
    joined = np.zeros((height * scale, width * scale, 4), np.uint8)
    for tile in tiles:
        cut = _cut(pixels, tile, size)
        hole = None if verify_input.hole is None else _cut(verify_input.hole, tile, size)
        tensor, placement = image_to_tensor(cut, spec)
        feeds = {**verify_input.feeds, spec.name: tensor}
        mask = find_mask(manifest.inputs)
        if mask is not None and hole is not None:
            feeds = with_resized_hole(feeds, spec, mask, hole)
        context = RunContext(placement=placement, hole=hole)
        put_tile(joined, kind.draw_tile(task, run(feeds), cut, context), tile, scale, plan.feather)
    return kind.join_tiles(task, joined, verify_input.file)


def _cut(pixels: NDArray[Any], tile: Tile, size: tuple[int, int]) -> NDArray[Any]:
    """Return a tile's part of a picture; beyond its edges the last pixels are repeated."""
    rows, columns = (
        np.minimum(np.arange(span.offset, span.offset + length), limit - 1)
        for span, length, limit in zip((tile.row, tile.column), size, pixels.shape, strict=False)
    )
    part: NDArray[Any] = pixels[rows[:, None], columns]
    return part
