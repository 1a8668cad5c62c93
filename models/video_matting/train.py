"""Draw clips and train the matting network on them for a given time.

python -m models.video_matting.train --minutes 30 --out build/video-matting
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models import training
from models.video_matting.clips import SEEDS, clip
from models.video_matting.network import Matting, nothing

STEADY = 2.0
"""Weight of the loss on alpha's change between frames, relative to the loss on alpha."""

COLORS = 0.3
"""Weight of the loss on the foreground colours."""


def drawn(out: Path, count: int, threads: int, frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the training clips' frames [count, n, h, w, 3], alpha and foreground, uint8; drawn once, kept in `out`."""
    file = out / f"clips-{count}-{frames}.npz"
    if not file.exists():
        out.mkdir(parents=True, exist_ok=True)
        with Pool(threads) as pool:
            clips = pool.map(partial(clip, "train", frames=frames), range(count), chunksize=10)
        bytes_of = lambda values: (np.stack(values) * 255).round().astype(np.uint8)  # noqa: E731
        np.savez(
            file, frames=np.stack([one.frames for one in clips]), alpha=bytes_of([one.alpha for one in clips]),
            foreground=bytes_of([one.foreground for one in clips]),
        )  # fmt: skip
    kept = np.load(file)
    return kept["frames"], kept["alpha"], kept["foreground"]


def seen_by_a_lens(rng: np.random.Generator, clips: Sequence[Tensor]) -> list[Tensor]:
    """Return frames, alpha and foreground [b, n, c, h, w] zoomed and blurred, so that sharpness reveals nothing."""
    height, width = clips[0].shape[-2:]
    share = float(rng.uniform(0.6, 1)) if rng.random() < 0.5 else 1.0
    rows, columns = round(height * share), round(width * share)
    top, left = int(rng.integers(height - rows + 1)), int(rng.integers(width - columns + 1))
    sigma = float(rng.uniform(0.3, 1.2)) if rng.random() < 0.7 else 0.0
    seen = []
    for part in clips:
        images = part.flatten(0, 1)[..., top : top + rows, left : left + columns]
        if share < 1:
            images = functional.interpolate(images, (height, width), mode="bilinear", align_corners=False)
        if sigma:
            images = blurred(images, sigma)
        seen.append(images.unflatten(0, part.shape[:2]))
    return seen


def blurred(images: Tensor, sigma: float) -> Tensor:
    """Return images [b, c, h, w] after a Gaussian of `sigma` pixels."""
    channels = images.shape[1]
    line = torch.exp(-((torch.arange(-3, 4) / sigma) ** 2) / 2)
    line = (line / line.sum()).expand(channels, 1, 7)
    across = functional.conv2d(functional.pad(images, (3, 3, 0, 0), "replicate"), line[:, :, None], groups=channels)
    return functional.conv2d(functional.pad(across, (0, 0, 3, 3), "replicate"), line[..., None], groups=channels)


def loss(network: Matting, frames: Tensor, alpha: Tensor, foreground: Tensor) -> Tensor:
    """Return the loss of clips [b, n, c, h, w]: alpha, its edges, its change over time, and the person's colours."""
    state, found, colors = nothing(), [], []
    for at in range(frames.shape[1]):
        color, matte, state = network.matte(frames[:, at], state)
        found.append(matte)
        colors.append(color)
    matte, color = torch.stack(found, 1), torch.stack(colors, 1)
    error = matte - alpha
    total = error.abs().mean()
    for axis in (-1, -2):
        total = total + error.diff(dim=axis).abs().mean()
    for scale in (2, 4, 8):
        total = total + functional.avg_pool2d(error.flatten(0, 1), scale).abs().mean()
    total = total + STEADY * error.diff(dim=1).abs().mean()
    return total + COLORS * ((color - foreground).abs() * (alpha > 0)).mean()


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    kept = drawn(options.out, options.clips, options.threads, options.frames)
    torch.manual_seed(0)
    network = Matting().train()

    def step(number: int) -> Tensor:
        rng = np.random.default_rng([SEEDS["train"], number])
        chosen = rng.integers(len(kept[0]), size=options.batch)
        frames, alpha, foreground = (part[chosen].astype(np.float32) / 255 for part in kept)
        parts = [frames, alpha[..., None], foreground]
        if rng.random() < 0.5:
            parts = [part[..., ::-1, :] for part in parts]
        if rng.random() < 0.5:
            parts = [part[:, ::-1] for part in parts]
        order, light = rng.permutation(3), rng.uniform(0.7, 1.1, (options.batch, 1, 1, 1, 1)).astype(np.float32)
        parts = [np.clip(parts[0][..., order] * light, 0, 1), parts[1], np.clip(parts[2][..., order] * light, 0, 1)]
        clips = [torch.from_numpy(np.ascontiguousarray(np.moveaxis(part, -1, 2))) for part in parts]
        return loss(network, *seen_by_a_lens(rng, clips))

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--clips", type=int, default=800, help="clips to draw")
    parser.add_argument("--frames", type=int, default=6, help="frames per clip")
    parser.set_defaults(batch=4)
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
