"""Pictures with text, and the box of each line: receipts, paragraphs, signs, and scattered lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np

from models.text_reader import camera, surfaces, words
from models.text_reader.camera import Size
from models.text_reader.fonts import font
from models.text_reader.ink import corners, ink, put

SEEDS = {"train": 71, "held-out": 73, "sample": 74}


@dataclass
class Page:
    """A picture in progress."""

    rng: np.random.Generator
    split: str
    canvas: np.ndarray
    """[h, w, 3], float32 from 0 to 255."""
    quads: list[np.ndarray] = field(default_factory=list)
    """The lines' corners [4, 2] as x and y, clockwise from the text's start."""
    texts: list[str] = field(default_factory=list)

    @property
    def size(self) -> Size:
        """Height and width."""
        return self.canvas.shape[0], self.canvas.shape[1]

    def taken(self) -> np.ndarray:
        """A mask [h, w], 1 at and next to text."""
        mask = np.zeros(self.size, np.uint8)
        for quad in self.quads:
            cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
        return np.asarray(cv2.dilate(mask, np.ones((5, 5), np.uint8)))

    def write(self, text: str, covered: np.ndarray, quad: np.ndarray, colour: np.ndarray, strength: float) -> None:
        """Composite a line onto the picture."""
        put(self.canvas, covered, quad, colour, strength)
        self.quads.append(quad)
        self.texts.append(text)


def drawn_line(
    rng: np.random.Generator, split: str, size: int, text: str, *, monospaced: bool = False
) -> np.ndarray:  # fmt: skip
    """Return a line's ink [h, w] with `size` pixels per em, in a random font, sometimes spaced, stretched or bold."""
    face = font(rng, split, size, monospaced=monospaced)
    tracking = float(rng.uniform(-0.04, 0.35) * size) if rng.random() < 0.3 else 0.0
    stretch = float(np.exp(rng.uniform(-0.35, 0.7))) if rng.random() < 0.3 else 1.0
    return ink(text, face, tracking, stretch, int(size > 16 and rng.random() < 0.08))


def text_size(rng: np.random.Generator, side: int) -> int:
    """Return a log-uniform font size in pixels per em."""
    return int(np.exp(rng.uniform(np.log(11), np.log(max(30, side / 4)))))


def scattered(page: Page) -> None:
    """Lines anywhere without overlaps, each in its own font, colour and direction."""
    rng, (high, wide) = page.rng, page.size
    turned = rng.random() < 0.4
    for _ in range(int(rng.integers(1, 22))):
        size = text_size(rng, min(high, wide))
        text = words.phrase(rng, page.split, max(2, int(1.4 * wide / size)))
        covered = drawn_line(rng, page.split, size, text)
        turn = float(rng.normal(0, 0.25)) if turned else 0.0
        quad = corners(covered, rng.uniform(0.05, 0.95, 2) * (wide, high), turn)
        low, last = quad.min(0), quad.max(0)
        mask = np.zeros(page.size, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
        if (low < 0).any() or (last > (wide, high)).any() or (mask & page.taken()).any():
            continue
        ground = page.canvas[mask > 0].mean(0) if mask.any() else page.canvas.mean((0, 1))
        page.write(text, covered, quad, surfaces.contrasting(rng, ground), float(rng.uniform(0.75, 1)))


def rows(page: Page, left: float, top: float, right: float, bottom: float, *, receipt: bool) -> None:
    """Lines below one another in one font: in columns for a receipt, else in one piece."""
    rng = page.rng
    size = int(np.clip(text_size(rng, int(right - left)), 11, (right - left) / 8))
    face = font(rng, page.split, size, monospaced=receipt and rng.random() < 0.7)
    tracking = float(rng.uniform(0, 0.3) * size) if rng.random() < 0.4 else 0.0
    leading = size * rng.uniform(1.15, 2.0)
    ground = page.canvas[int(top) : int(bottom), int(left) : int(right)].mean((0, 1))
    colour, strength = surfaces.contrasting(rng, ground), float(rng.uniform(0.7, 1))
    per_line = max(2, int((right - left) / (0.6 * size + tracking)))
    while top + leading < bottom:
        parts: list[tuple[str, float]] = [(words.phrase(rng, page.split, per_line), float(rng.choice([0, 0, 0, 0.5])))]
        kind = rng.random()
        if receipt and kind < 0.5:
            parts = [(words.phrase(rng, page.split, max(2, per_line // 2)), 0.0), (words.number(rng), 1.0)]
            if kind < 0.12:
                parts.insert(1, (words.code(rng, page.split)[:3], 0.6))
        elif kind > 0.9:
            parts = []
        stretch = float(rng.uniform(1.3, 2)) if receipt and rng.random() < 0.06 else 1.0
        end = left
        for text, place in parts:
            covered = ink(text, face, tracking, stretch)
            begin = left + place * (right - left - covered.shape[1])
            if begin < end or begin + covered.shape[1] > right:
                continue
            middle = np.array([begin + covered.shape[1] / 2, top + covered.shape[0] / 2])
            page.write(text, covered, corners(covered, middle, 0.0), colour, strength)
            end = begin + covered.shape[1] + 1.5 * size
        top += leading


def receipt(page: Page) -> None:
    """A strip of paper on a table."""
    rng, (high, wide) = page.rng, page.size
    surfaces.clutter(rng, page.canvas, int(rng.integers(0, 12)))
    left, right = rng.uniform(0, 0.2) * wide, rng.uniform(0.75, 1) * wide
    top, bottom = max(0, rng.uniform(-0.15, 0.15)) * high, min(1, rng.uniform(0.85, 1.15)) * high
    paper = surfaces.ground(rng, high, wide) * 0.25 + rng.uniform(150, 190)
    inside = (slice(int(top), int(bottom)), slice(int(left), int(right)))
    page.canvas[inside] = np.clip(paper[inside], 0, 255)
    edge = 0.04 * wide
    rows(page, left + edge, top + edge, right - edge, bottom - edge, receipt=True)
    if rng.random() < 0.3:
        free = 1 - page.taken()[..., None].astype(np.float32)
        marked = page.canvas.copy()
        surfaces.clutter(rng, marked, 2)
        page.canvas[:] = marked * free + page.canvas * (1 - free)


def paragraph(page: Page) -> None:
    """Closely spaced lines on any surface."""
    rng, (high, wide) = page.rng, page.size
    rows(page, 0.06 * wide, rng.uniform(0.02, 0.3) * high, 0.96 * wide, 0.98 * high, receipt=False)


def sign(page: Page) -> None:
    """One to three large lines on a rotated board, in front of clutter."""
    rng, (high, wide) = page.rng, page.size
    surfaces.clutter(rng, page.canvas, int(rng.integers(0, 16)))
    size = int(rng.uniform(0.07, 0.2) * min(high, wide))
    face, count = font(rng, page.split, size), int(rng.integers(1, 4))
    lines = [(text, ink(text, face)) for text in (words.phrase(rng, page.split, 12) for _ in range(count))]
    lines = [(text, covered) for text, covered in lines if covered.shape[1] < 0.85 * wide]
    if not lines:
        return
    board, turn = surfaces.colour(rng), float(rng.normal(0, 0.2))
    cosine, sine = np.cos(turn), np.sin(turn)
    leading = 1.35 * size
    extent = np.zeros((int(len(lines) * leading + 0.3 * size), int(max(c.shape[1] for _, c in lines) + size)), np.uint8)
    middle = np.array([wide, high]) / 2 + rng.normal(0, 0.05, 2) * (wide, high)
    cv2.fillConvexPoly(
        page.canvas, np.round(corners(extent, middle, turn)).astype(np.int32), board.tolist(), cv2.LINE_AA
    )
    shade = surfaces.contrasting(rng, board)
    for index, (text, covered) in enumerate(lines):
        offset = (index - (len(lines) - 1) / 2) * leading
        page.write(text, covered, corners(covered, middle + offset * np.array([-sine, cosine]), turn), shade, 1.0)


def nothing(page: Page) -> None:
    """Clutter without text."""
    surfaces.clutter(page.rng, page.canvas, int(page.rng.integers(3, 30)))


LAYOUTS: dict[Callable[[Page], None], float] = {
    scattered: 0.35, receipt: 0.3, paragraph: 0.15, sign: 0.15, nothing: 0.05
}  # fmt: skip
"""Layouts and their weights."""


def drawn(
    rng: np.random.Generator, split: str, size: Size, layout: Callable[[Page], None] | None = None
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return a picture.

    Args:
        rng: determines the picture.
        split: the split of the fonts and the words.
        size: height and width.
        layout: one of `LAYOUTS`, by default chosen by `rng`.

    Returns:
        RGB uint8 [h, w, 3], the lines' corners [n, 4, 2] in its pixels, and the lines' texts.
    """
    chosen = layout or list(LAYOUTS)[int(rng.choice(len(LAYOUTS), p=list(LAYOUTS.values())))]
    page = Page(rng, split, surfaces.ground(rng, *size))
    if rng.random() < 0.3:
        surfaces.clutter(rng, page.canvas, int(rng.integers(1, 6)))
    chosen(page)
    image, quads = photographed(page, size)
    return image, quads, page.texts


def photographed(page: Page, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Return a page with camera effects, RGB uint8 [h, w, 3], and its lines' corners, [n, 4, 2]."""
    rng = page.rng
    matrix = camera.view(rng, page.size, size, turn=0.06, bend=0.02)
    seen = cv2.warpPerspective(page.canvas, matrix, size[::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    quads = camera.moved(np.reshape(page.quads, (-1, 2)).astype(np.float64), matrix).reshape(-1, 4, 2)
    return camera.sensor(rng, camera.light(rng, seen), blur=1.0), quads
