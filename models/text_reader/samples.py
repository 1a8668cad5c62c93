"""Draw the text reader's pictures in its folder `samples`: a receipt, a sign, and scattered lines.

python -m models.text_reader.samples models/text-reader/samples
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from models.text_reader import surfaces
from models.text_reader.camera import Size
from models.text_reader.fonts import font
from models.text_reader.ink import corners, ink
from models.text_reader.pages import SEEDS, Page, photographed, scattered

SPLIT = "held-out"
BOUGHT = (
    ("CORNER BAKERY", ""), ("12 Mill Lane, Ashford", ""), ("", ""), ("09-03-2026", "14:07"), ("", ""),
    ("2 Rye bread", "$7.80"), ("1 Apple cake", "$3.45"), ("3 Coffee", "$8.25"), ("1 Orange juice", "$2.90"), ("", ""),
    ("Subtotal", "$22.40"), ("Tax 8%", "$1.79"), ("TOTAL", "$24.19"), ("CASH", "$30.00"), ("CHANGE", "$5.81"), ("", ""),
    ("Thank you!", ""),
)  # fmt: skip
"""The left and right text of each line of the receipt."""
OPEN = ("City Library", "Mon-Sat 9:30-18:00", "Phone 555 0142")


def receipt(page: Page) -> None:
    """White paper on a table."""
    rng, (high, wide) = page.rng, page.size
    page.canvas[:] = np.array([96, 68, 50]) + 14 * surfaces.clouds(rng, high, wide, 30)[..., None]
    left, right, size = 0.09 * wide, 0.91 * wide, 30
    paper = (slice(int(0.03 * high), int(0.97 * high)), slice(int(left), int(right)))
    page.canvas[paper] = 232 + 4 * surfaces.clouds(rng, high, wide, 6)[paper][..., None]
    face, shade = font(rng, SPLIT, size, monospaced=True), np.array([58, 56, 66], np.float32)
    for row, (first, last) in enumerate(BOUGHT):
        for text, place in ((first, 0.0), (last, 1.0)):
            if text:
                covered = ink(text, face, tracking=1.0)
                room = right - left - 44 - covered.shape[1]
                middle = np.array([left + 22 + place * room + covered.shape[1] / 2, 0.1 * high + row * 1.02 * size])
                page.write(text, covered, corners(covered, middle, 0.0), shade, 0.9)


def sign(page: Page) -> None:
    """A rotated blue board on a wall."""
    rng, (high, wide) = page.rng, page.size
    page.canvas[:] = np.array([176, 160, 140]) + 16 * surfaces.clouds(rng, high, wide, 50)[..., None]
    turn, middle, sizes = -0.14, np.array([wide, high]) / 2, (72, 40, 40)
    for room, shade in ((0, 245.0), (8, (30.0, 62.0, 120.0))):
        board = corners(np.zeros((280 - 2 * room, 520 - 2 * room)), middle, turn)
        cv2.fillConvexPoly(
            page.canvas, np.round(board).astype(np.int32), np.broadcast_to(shade, 3).tolist(), cv2.LINE_AA
        )
    for text, size, offset in zip(OPEN, sizes, (-72, 10, 78), strict=True):
        covered = ink(text, font(rng, SPLIT, size))
        place = middle + offset * np.array([-np.sin(turn), np.cos(turn)])
        page.write(text, covered, corners(covered, place, turn), np.full(3, 250, np.float32), 1.0)


SAMPLES: dict[str, tuple[Callable[[Page], None], int, Size]] = {
    "1-receipt": (receipt, 0, (640, 480)), "2-sign": (sign, 0, (480, 640)), "3-lines": (scattered, 9, (480, 640))
}  # fmt: skip
"""Layout, seed, height and width."""


def main() -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, (layout, number, size) in SAMPLES.items():
        rng = np.random.default_rng([SEEDS["sample"], number])
        page = Page(rng, SPLIT, surfaces.ground(rng, *size))
        layout(page)
        image, _ = photographed(page, size)
        Image.fromarray(image).save(folder / f"{name}.jpg", quality=84, optimize=True)


if __name__ == "__main__":
    main()
