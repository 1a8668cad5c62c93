"""A mask over an image, as a report shows it."""

from __future__ import annotations

import numpy as np

from webbuild.tasks.decoding.mask_image import mask_image

MASK = np.array([[True, False], [False, False]])


def test_the_object_is_coloured_and_the_rest_is_darker() -> None:
    pixels = np.full((2, 2, 4), 100, np.uint8)
    image = mask_image(MASK, pixels)
    assert image.shape == (2, 2, 4)
    assert image[0, 0].tolist() == [71, 114, 178, 255]
    assert image[1, 1].tolist() == [45, 45, 45, 255]


def test_without_a_picture_of_its_size_the_mask_lies_on_gray() -> None:
    alone = mask_image(MASK, None)
    assert (alone[0, 1] == [90, 90, 90, 255]).all()
    assert (alone == mask_image(MASK, np.zeros((3, 3, 4), np.uint8))).all()
