"""Letterbox a picture into a square, as Ultralytics does before it runs a model."""

from typing import Any

import numpy as np

from models.people.scene import Array, Label, Pixels

GREY = 114


def bilinear(image: Pixels, width: int, height: int) -> Pixels:
    """Resize RGB [h, w, 3] bilinearly, without antialiasing."""

    def taps(size: int, wanted: int) -> tuple[Any, Any, Array]:
        at = np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)
        low = np.minimum(at.astype(int), max(size - 2, 0))
        return low, np.minimum(low + 1, size - 1), at - low

    top, bottom, down = taps(image.shape[0], height)
    left, right, along = taps(image.shape[1], width)
    rows = image[top] * (1 - down)[:, None, None] + image[bottom] * down[:, None, None]
    mixed: Array = rows[:, left] * (1 - along)[:, None] + rows[:, right] * along[:, None]
    return mixed.round().astype(np.uint8)


def placement(width: int, height: int, side: int) -> tuple[float, int, int, int, int]:
    """Return the scale, new width, new height, left and top within a square of `side`."""
    scale = min(side / width, side / height)
    wide, tall = round(width * scale), round(height * scale)
    return scale, wide, tall, round((side - wide) / 2 - 0.1), round((side - tall) / 2 - 0.1)


def fit(image: Pixels, side: int) -> Pixels:
    """RGB of any size -> [side, side, 3]: scaled to fit, centred, grey around."""
    _, wide, tall, left, top = placement(image.shape[1], image.shape[0], side)
    square = np.full((side, side, 3), GREY, dtype=np.uint8)
    square[top : top + tall, left : left + wide] = bilinear(image, wide, tall)
    return square


def fit_label(label: Label, image: Pixels, side: int) -> Label:
    """The label in the pixels of the square."""
    scale, _, _, left, top = placement(image.shape[1], image.shape[0], side)
    points = label.keypoints.copy()
    points[:, :2] = points[:, :2] * scale + (left, top)
    points[points[:, 2] == 0] = 0
    return Label(label.box * scale + (left, top, left, top), label.area * scale**2, points)
