"""The annotations of a synthetic image match its pixels."""

from __future__ import annotations

import numpy as np
import pytest

from models.scenes import dataset, shapes
from models.scenes.names import CATEGORIES, COLOURS, SHAPES, STUFF
from models.scenes.picture import AREAS, LEAST_SHOWN, Picture, visible

NUMBERS = range(40)


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return [dataset.scene("check", number, 96, 120) for number in NUMBERS]


def test_the_same_number_draws_the_same_picture(pictures: list[Picture]) -> None:
    again = dataset.scene("check", 3, 96, 120)
    assert np.array_equal(again.image, pictures[3].image)
    assert not np.array_equal(dataset.scene("train", 3, 96, 120).image, again.image)


def test_no_pixel_belongs_to_two_things(pictures: list[Picture]) -> None:
    for picture in pictures:
        assert sum((thing.mask.astype(int) for thing in picture.things), start=np.zeros((96, 120), int)).max() <= 1


def test_the_box_touches_the_mask_on_every_side(pictures: list[Picture]) -> None:
    for thing in (thing for picture in pictures for thing in picture.things):
        left, top, right, bottom = thing.box.astype(int)
        inside = thing.mask[top:bottom, left:right]
        assert inside.sum() == thing.mask.sum()
        assert inside[0].any()
        assert inside[-1].any()
        assert inside[:, 0].any()
        assert inside[:, -1].any()


def test_a_thing_has_the_colour_that_its_phrase_says(pictures: list[Picture]) -> None:
    palette = np.array(list(COLOURS.values()), float)
    right = []
    for picture in pictures:
        for thing in picture.things:
            colour = np.median(picture.image[thing.mask].astype(float), 0)
            nearest = list(COLOURS)[int(((palette - colour) ** 2).sum(1).argmin())]
            right.append(thing.phrase == f"{nearest} {thing.shape}")
    assert len(right) > 80
    assert np.mean(right) > 0.97  # dim light can make white grey, which is nearer to another colour


def test_every_pixel_has_a_category_and_things_cover_the_stuff(pictures: list[Picture]) -> None:
    for picture in pictures:
        categories = picture.semantic
        covered = np.zeros(categories.shape, bool)
        for thing in picture.things:
            assert (categories[thing.mask] == SHAPES.index(thing.shape)).all()
            covered |= thing.mask
        assert [CATEGORIES[n] for n in np.unique(categories[~covered])] == [
            STUFF[n] for n in np.unique(picture.stuff[~covered])
        ]


@pytest.mark.parametrize("shape", SHAPES)
def test_coverage_adds_up_to_the_area_wherever_the_shape_lies(shape: str) -> None:
    down, across = np.mgrid[:96, :96].astype(np.float32)
    for centre, turn in (((40.3, 50.9), 0.0), ((48.0, 44.6), 0.3), ((50.5, 50.5), -0.2)):
        share = shapes.coverage(shape, (across, down), centre, 20.0, turn)
        assert share.sum() == pytest.approx(AREAS[shape] * 400, rel=0.02)


def test_shapes_have_the_areas_of_geometry() -> None:
    assert AREAS["circle"] == pytest.approx(np.pi * 0.95**2, rel=0.01)
    assert AREAS["square"] == pytest.approx(1.6**2, rel=0.01)
    assert AREAS["triangle"] == pytest.approx(3**0.5 * 0.88**2, rel=0.01)
    assert AREAS["ring"] == pytest.approx(2 * np.pi * 0.7 * 0.5, rel=0.01)
    assert AREAS["star"] == pytest.approx(10 * 0.5 * 0.45 * np.sin(np.pi / 5), rel=0.01)
    assert AREAS["cross"] == pytest.approx(2 * 1.9 * 0.6 - 0.36, rel=0.01)


def test_the_nearer_of_two_things_hides_the_farther() -> None:
    far, near = np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32)
    far[:, :3], near[:, 2:] = 1.0, 0.6
    shown = visible([far, near])
    assert shown[0].sum() == 8
    assert shown[1].sum() == 8


def test_enough_shows_of_everything(pictures: list[Picture]) -> None:
    seen = [thing.mask.sum() for picture in pictures for thing in picture.things]
    assert min(seen) >= LEAST_SHOWN * min(AREAS.values()) * (0.08 * 96) ** 2 * 0.9
