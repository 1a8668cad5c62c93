"""Draw pictures and train the super-resolution network on crops of them for a given time.

python -m models.super_resolution.train --minutes 15 --out build/super-resolution
"""

from __future__ import annotations

import argparse
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from models import training
from models.super_resolution.network import SuperResolution
from models.super_resolution.pictures import SEEDS, drawing, halved

PIECE = 48
"""Side in pixels of the training crops."""


def pieces(count: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return crops of one drawing, [count, 48, 48, 3], and the same at twice the size."""
    rng = np.random.default_rng([SEEDS["train"], number])
    large = drawing("train", number)
    small = halved(large)
    down, across = (
        rng.integers(small.shape[0] - PIECE + 1, size=count),
        rng.integers(small.shape[1] - PIECE + 1, size=count),
    )
    inputs = [small[y : y + PIECE, x : x + PIECE] for y, x in zip(down, across, strict=True)]
    truth = [large[2 * y : 2 * (y + PIECE), 2 * x : 2 * (x + PIECE)] for y, x in zip(down, across, strict=True)]
    return np.stack(inputs), np.stack(truth)


def drawn(out: Path, pictures: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Return crops of all drawings; drawn once, stored in `out`."""
    file = out / f"pieces-{pictures}.npz"
    if not file.exists():
        out.mkdir(parents=True, exist_ok=True)
        with Pool(threads) as pool:
            pairs = pool.map(partial(pieces, 8), range(pictures), chunksize=10)
        np.savez(
            file,
            **{
                name: np.concatenate(part)
                for name, part in zip(("small", "large"), zip(*pairs, strict=True), strict=True)
            },
        )
    kept = np.load(file)
    return kept["small"], kept["large"]


def train(options: argparse.Namespace) -> Path:
    """Train on the absolute difference (L1), and return the checkpoint."""
    small, large = drawn(options.out, options.pictures, options.threads)
    torch.manual_seed(0)
    network = SuperResolution().train()

    def step(number: int) -> Tensor:
        rng = np.random.default_rng([SEEDS["train"], number])
        chosen = rng.integers(len(small), size=options.batch)
        pair = [part[chosen].astype(np.float32) / 255 for part in (small, large)]
        if rng.random() < 0.5:
            pair = [part[:, :, ::-1] for part in pair]
        if rng.random() < 0.5:
            pair = [part[:, ::-1] for part in pair]
        order = rng.permutation(3)
        inputs, truth = (torch.from_numpy(np.ascontiguousarray(np.moveaxis(part[..., order], -1, 1))) for part in pair)
        return (network(inputs) - truth).abs().mean()

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--pictures", type=int, default=2000, help="drawings to make")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
