"""Tiles are blended without a step: each pixel is the weighted mean of its tiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.manifest.tasks.tile_plan import TilePlan
from webbuild.preprocess.tile_blend import put_tile
from webbuild.preprocess.tiles import tiles_of

CASES = sorted((Path(__file__).parents[2] / "conformance" / "tile-blend").glob("*.json"))


def joined(case: dict[str, Any]) -> NDArray[np.uint8]:
    """Return the blended result of tiles that have one level each."""
    plan, scale = msgspec.convert(case["plan"], TilePlan), case["scale"]
    (width, height), (wide, high) = case["picture"].values(), case["tile"].values()
    result = np.zeros((height * scale, width * scale, 4), np.uint8)
    tiles = tiles_of(width, height, (high, wide), plan.halo, plan.multiple)
    for tile, level in zip(tiles, case["levels"], strict=True):
        put_tile(result, np.full((high * scale, wide * scale, 4), level, np.uint8), tile, scale, plan.feather)
    return result


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_conformance(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    got = joined(case)[..., 0]
    assert np.abs(got - np.array(case["want"]["rows"])).max() <= case["tolerance"]


@pytest.mark.parametrize("file", [file for file in CASES if file.stem != "exact"], ids=lambda file: file.stem)
def test_no_step_is_larger_than_that_of_a_ramp(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    got, levels = joined(case)[..., 0].astype(int), case["levels"]
    # at most three roundings to 8 bits on each side
    most = (max(levels) - min(levels)) / (2 * case["plan"]["feather"] * case["scale"]) + 2 * case["tolerance"]
    assert max(np.abs(np.diff(got, axis=axis)).max() for axis in (0, 1)) <= most
