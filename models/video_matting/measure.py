"""Measure the shipped matting network on held-out clips and write the table in models/README.md.

python -m models.video_matting.measure
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort

from models.table import README, publish
from models.video_matting.clips import Clip, Floats, held_out
from models.video_matting.export import STATES

MODEL = README.with_name("video-matting") / "video-matting.onnx"
SIGMA = 1.4
"""Sigma of the Gaussian in the gradient metric of Rhemann and others (CVPR 2009)."""


def mattes(session: ort.InferenceSession, frames: Floats, *, remembers: bool = True) -> Iterator[Floats]:
    """Yield the alpha [h, w] of each frame [n, 3, h, w]; without `remembers`, each frame is treated as the first."""
    specs = {one.name: one.shape for one in session.get_inputs()}
    start = {
        f"{name}i": np.zeros([size if isinstance(size, int) else 1 for size in specs[f"{name}i"]], np.float32)
        for name in STATES
    }
    state = start
    for frame in frames:
        names = ["pha", *(f"{name}o" for name in STATES)]
        alpha, *after = (np.asarray(value) for value in session.run(names, {"src": frame[None], **state}))
        if remembers:
            state = {f"{name}i": value for name, value in zip(STATES, after, strict=True)}
        yield alpha[0, 0]


def gradient(alpha: Floats) -> Floats:
    """Return the gradient magnitude of alpha at each pixel, after a Gaussian."""
    smooth = cv2.GaussianBlur(alpha, (0, 0), SIGMA)
    across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8
    return np.asarray(np.hypot(across, down), np.float32)


def scored(found: Floats, clip: Clip) -> dict[str, float]:
    """Return the errors of the alpha [n, h, w] of a clip."""
    error = found - clip.alpha
    edges = [(gradient(one) - gradient(other)) ** 2 for one, other in zip(found, clip.alpha, strict=True)]
    truth = clip.alpha > 0.5
    return {
        "mean absolute error of alpha": float(np.abs(error).mean()),
        "mean gradient error (squared, times 1000)": float(1000 * np.mean(edges)),
        "change of the error from frame to frame": float(np.abs(np.diff(error, axis=0)).mean()),
        "intersection over union at 0.5": float(((found > 0.5) & truth).sum() / ((found > 0.5) | truth).sum()),
    }


def measure(onnx: Path, *, remembers: bool = True) -> dict[str, str]:
    """Return the measured values by title."""
    session = ort.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    rows, frames = [], 0
    for clip in held_out():
        inputs = np.moveaxis(clip.frames, -1, 1).astype(np.float32) / 255
        rows.append(scored(np.stack(list(mattes(session, inputs, remembers=remembers))), clip))
        frames += len(inputs)
    means = {name: f"{np.mean([row[name] for row in rows]):.4f}" for name in rows[0]}
    return {"held-out clips": str(len(rows)), "frames in them": str(frames), **means}


if __name__ == "__main__":
    publish(
        {"video matting": measure, "each frame taken for the first": lambda onnx: measure(onnx, remembers=False)},
        "video-matting", MODEL, __doc__,
    )  # fmt: skip
