"""Predictions as images. Depth: near is bright, missing depth is transparent, one scale for all."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from webbuild.manifest.manifest import DepthTask
from webbuild.reporting.prediction_image import prediction_image_url
from webbuild.tasks.decoding.depth_colormap import VIRIDIS_STOPS
from webbuild.tasks.decoding.depth_map import DepthMap, finite_range

METRES = DepthTask(output="depth", quantity="depth", unit="metres")
DARK, BRIGHT = (68, 1, 84, 255), (253, 231, 37, 255)


def found(*rows: list[float]) -> list[DepthMap]:
    depth = np.array(rows, np.float32)
    return [DepthMap(depth, None, *finite_range(depth))]


def pixels(url: str) -> NDArray[Any]:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))


def test_what_is_near_is_bright_and_what_is_nowhere_is_not_drawn() -> None:
    drawn = pixels(prediction_image_url(METRES, found([1.0, 3.0], [np.nan, 2.0])))
    assert (tuple(drawn[0, 0]), tuple(drawn[0, 1])) == (BRIGHT, DARK)
    assert drawn[1, 0, 3] == 0
    assert tuple(drawn[1, 1]) == (33, 145, 140, 255)


def test_inverse_depth_is_brightest_where_it_is_largest() -> None:
    inverse = DepthTask(output="depth", quantity="inverse-depth", unit="relative")
    assert tuple(pixels(prediction_image_url(inverse, found([1.0, 3.0])))[0, 1]) == BRIGHT


def test_a_backend_is_drawn_on_the_scale_of_the_reference_and_both_on_that_of_the_model() -> None:
    drawn = pixels(prediction_image_url(METRES, found([1.0, 1.0]), found([1.0, 3.0])))
    assert tuple(drawn[0, 0]) == BRIGHT
    known = DepthTask(output="depth", quantity="depth", unit="metres", near=0.0, far=1.0)
    assert tuple(pixels(prediction_image_url(known, found([1.0, 3.0])))[0, 0]) == DARK


def test_a_large_map_becomes_small() -> None:
    assert max(pixels(prediction_image_url(METRES, found(*[[1.0, 2.0] * 500] * 20))).shape) == 440


def test_the_runtime_has_the_same_colours() -> None:
    runtime = Path(__file__).parents[2] / "web/src/tasks/depth/colormap/viridis.ts"
    told = re.search(r'written = "([0-9a-f ]+)"', runtime.read_text("utf-8"))
    assert told is not None
    assert told[1] == VIRIDIS_STOPS
