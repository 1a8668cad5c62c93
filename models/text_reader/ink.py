"""A line of text as ink coverage per pixel, and compositing of that ink onto a picture."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont


def ink(
    text: str, font: ImageFont.FreeTypeFont, tracking: float = 0.0, stretch: float = 1.0, bold: int = 0
) -> np.ndarray:
    """Draw a line, cropped to its box.

    Args:
        text: has at least one character that is not a space.
        font: of any size.
        tracking: additional pixels between letters.
        stretch: factor of the width.
        bold: additional stroke width in pixels.

    Returns:
        [h, w] from 0 to 255. It begins and ends with ink, and reaches from the capitals' tops to the baseline, or
        beyond if the letters do.
    """
    advances = [font.getlength(one) + tracking for one in text]
    edge = int(font.size)
    width = round(sum(advances) if tracking else font.getlength(text)) + 2 * edge
    image = Image.new("L", (width, 3 * edge))
    draw = ImageDraw.Draw(image)
    base = 2 * edge
    if tracking:
        for start, one in zip(np.cumsum([0.0, *advances[:-1]]), text, strict=True):
            draw.text((edge + float(start), base), one, fill=255, font=font, anchor="ls", stroke_width=bold)
    else:
        draw.text((edge, base), text, fill=255, font=font, anchor="ls", stroke_width=bold)
    left, top, right, bottom = image.getbbox() or (edge, base, edge + 1, base + 1)
    capital = base + int(font.getbbox("H", anchor="ls")[1])
    covered = np.asarray(image.crop((left, min(top, capital), right, max(bottom, base))))
    if stretch == 1:
        return covered
    return np.asarray(cv2.resize(covered, (max(1, round(covered.shape[1] * stretch)), covered.shape[0])))


def corners(covered: np.ndarray, middle: np.ndarray, turn: float) -> np.ndarray:
    """Return the box corners [4, 2] of a line [h, w], clockwise from the text's start, rotated by `turn` radians."""
    high, wide = covered.shape
    box = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]]) / 2
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.asarray(box @ np.array([[cosine, sine], [-sine, cosine]]) + middle)


def put(canvas: np.ndarray, covered: np.ndarray, quad: np.ndarray, colour: np.ndarray, strength: float = 1.0) -> None:
    """Composite ink over a picture [h, w, 3], in place, with the corners of its box at `quad` [4, 2]."""
    high, wide = covered.shape
    low = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
    last = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, (canvas.shape[1], canvas.shape[0]))
    if (last <= low).any():
        return
    start = np.array([[0, 0], [wide, 0], [wide, high]], np.float32)
    matrix = cv2.getAffineTransform(start, (quad[:3] - low).astype(np.float32))
    size = (int(last[0] - low[0]), int(last[1] - low[1]))
    share = cv2.warpAffine(covered, matrix, size, flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255 * strength
    piece = canvas[low[1] : last[1], low[0] : last[0]]
    piece[:] = piece * (1 - share) + colour * share
