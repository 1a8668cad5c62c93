"""Which map is the largest at a pixel: the same result as reading every map at every pixel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding import largest_map
from webbuild.tasks.decoding.depth_map import BilinearTaps, Floats, resample_map
from webbuild.tasks.decoding.largest_map import number_largest

WHOLE = ImagePlacement(70, 50, 0, 0, 64, 64, 64, 64)
LETTERBOXED = ImagePlacement(70, 50, 0, 9, 64, 46, 64, 64)
CROPPED = ImagePlacement(70, 50, -12, -8, 90, 80, 64, 64)
SMALLER = ImagePlacement(9, 5, 0, 0, 64, 64, 64, 64)


def read_each(maps: Floats, placement: ImagePlacement) -> NDArray[np.int32]:
    """The definition: read each map at each pixel, and take the first of the largest."""
    top = np.full((placement.source_height, placement.source_width), -np.inf, np.float32)
    winner = np.zeros(top.shape, np.int32)
    for number, values in enumerate(maps, 1):
        likely = resample_map(values, placement)
        wins = likely > top
        top[wins], winner[wins] = likely[wins], number
    return winner


def scenes() -> Iterator[tuple[str, Floats]]:
    generator = np.random.default_rng(5)
    smooth = np.kron(generator.standard_normal((12, 4, 4)), np.ones((5, 5))).astype(np.float32)
    yield "smooth", smooth
    yield "rough", generator.standard_normal((12, 20, 20)).astype(np.float32)
    yield "ties", np.rint(smooth)
    yield "equal", np.ones((3, 20, 20), np.float32)
    broken = smooth.copy()
    broken[generator.random(broken.shape) < 0.01] = np.nan
    broken[generator.random(broken.shape) < 0.01] = np.inf
    yield "not finite", broken
    yield "nobody", np.full((3, 20, 20), np.nan, np.float32)


@pytest.mark.parametrize("placement", [WHOLE, LETTERBOXED, CROPPED, SMALLER])
@pytest.mark.parametrize(("name", "maps"), list(scenes()), ids=lambda each: each if isinstance(each, str) else "")
def test_it_is_the_map_that_is_largest_where_each_is_read(name: str, maps: Floats, placement: ImagePlacement) -> None:
    with np.errstate(invalid="ignore"):
        found = number_largest(lambda rows: maps[:, rows], 20, 20, placement)
        np.testing.assert_array_equal(found, read_each(maps, placement))
    assert found.any() == (name != "nobody")


def test_a_map_that_lies_below_another_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    read = largest_map._read

    def counted(values: Floats, *taps: BilinearTaps) -> Floats:
        seen.append(float(values[0, 0]))
        return read(values, *taps)

    monkeypatch.setattr(largest_map, "_read", counted)
    maps = np.stack([np.full((20, 20), level, np.float32) for level in (3, 1, 4, 1, 5)])
    assert (number_largest(lambda rows: maps[:, rows], 20, 20, WHOLE) == 5).all()
    assert set(seen) == {5.0}
