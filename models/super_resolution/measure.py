"""Measure the shipped super-resolution network on held-out drawings and write the table in models/README.md.

python -m models.super_resolution.measure
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort

from models.people.scene import Pixels
from models.super_resolution.pictures import doubled, halved, held_out
from models.table import README, publish

MODEL = README.with_name("super-resolution") / "super-resolution.onnx"
BORDER = 2
"""Pixels at each edge that are not counted, as is usual for a factor of two."""

Upscale = Callable[[Pixels], Pixels]


def tiled(session: ort.InferenceSession, image: Pixels) -> Pixels:
    """Return the picture [h, w, 3] at twice the size, from tiles that overlap by the receptive field."""
    side, halo = session.get_inputs()[0].shape[-1], 8
    height, width = image.shape[:2]
    padded = np.pad(image, ((0, max(0, side - height)), (0, max(0, side - width)), (0, 0)), mode="edge")
    large = np.zeros((2 * padded.shape[0], 2 * padded.shape[1], 3), np.uint8)
    for top, first, last in _rows(padded.shape[0], side, halo):
        for left, start, end in _rows(padded.shape[1], side, halo):
            piece = padded[top : top + side, left : left + side].astype(np.float32) / 255
            answer = np.asarray(session.run(None, {"image": np.moveaxis(piece, -1, 0)[None]})[0])[0]
            pixels = (np.moveaxis(answer, 0, -1) * 255).round().astype(np.uint8)
            kept = pixels[2 * (first - top) : 2 * (last - top), 2 * (start - left) : 2 * (end - left)]
            large[2 * first : 2 * last, 2 * start : 2 * end] = kept
    return large[: 2 * height, : 2 * width]


def _rows(length: int, side: int, halo: int) -> list[tuple[int, int, int]]:
    """Return each tile's start, and the start and end of its kept part."""
    starts = [*range(0, length - side, side - 2 * halo), length - side]
    cuts = [0, *(start + halo for start in starts[1:]), length]
    return [(start, cuts[at], cuts[at + 1]) for at, start in enumerate(starts)]


def quality(found: Pixels, truth: Pixels) -> tuple[float, float]:
    """Return PSNR in dB over the three channels, and SSIM of the luma with a Gaussian window of 11 pixels."""
    inner = (slice(BORDER, -BORDER), slice(BORDER, -BORDER))
    one, other = found[inner].astype(np.float64), truth[inner].astype(np.float64)
    psnr = 10 * np.log10(255**2 / ((one - other) ** 2).mean())
    grey = [cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb)[inner][..., 0].astype(np.float64) for image in (found, truth)]
    return float(psnr), ssim(*grey)


def ssim(one: np.ndarray, other: np.ndarray) -> float:
    """Structural similarity, as Wang and others (2004) define it."""

    def mean(values: np.ndarray) -> np.ndarray:
        return np.asarray(cv2.GaussianBlur(values, (11, 11), 1.5))

    first, second = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    middle, other_middle = mean(one), mean(other)
    variance, other_variance = mean(one**2) - middle**2, mean(other**2) - other_middle**2
    covariance = mean(one * other) - middle * other_middle
    top = (2 * middle * other_middle + first) * (2 * covariance + second)
    return float((top / ((middle**2 + other_middle**2 + first) * (variance + other_variance + second))).mean())


def measured(upscale: Upscale) -> dict[str, str]:
    """Return the measured values by title."""
    rows = [quality(upscale(halved(drawing)), drawing) for drawing in held_out()]
    psnr, structure = np.mean(rows, 0)
    return {"held-out drawings": str(len(rows)), "PSNR": f"{psnr:.2f} dB", "SSIM": f"{structure:.4f}"}


def measure(onnx: Path) -> dict[str, str]:
    """Return the network's measured values."""
    session = ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    return measured(lambda image: tiled(session, image))


if __name__ == "__main__":
    columns = {"super-resolution": measure, "bicubic": lambda _: measured(doubled)}
    publish(columns, "super-resolution", MODEL, __doc__)
