"""Draw focal stacks and train the network on them for a given time.

python -m models.depth_from_focus.train --minutes 30 --out build/depth-from-focus
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
from models.depth_from_focus.network import DepthFromFocus
from models.imagenet import inputs
from models.scenes import dataset, focal

LEVELS = (1.0, 0.5, 0.25)
"""Weights of the losses at strides 4, 8 and 16."""


def drawn(out: Path, count: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training stacks [count, n, h, w, 3] and depths [count, h, w]; drawn once, stored in `out`."""
    file = out / f"stacks-{count}.npz"
    if not file.exists():
        out.mkdir(parents=True, exist_ok=True)
        with Pool(threads) as pool:
            stacks = pool.map(partial(dataset.stack, "train"), range(count), chunksize=20)
        images, depth = np.stack([one.images for one in stacks]), np.stack([one.depth for one in stacks])
        np.savez(file, images=images, depth=depth.astype(np.float16))
    kept = np.load(file)
    return kept["images"], kept["depth"].astype(np.float32)


def loss(network: DepthFromFocus, images: Tensor, depth: Tensor, distances: Tensor) -> Tensor:
    """Absolute relative error of the depth, summed over the levels."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        costs = network.costs(images)
    total = torch.zeros(())
    for weight, cost in zip(LEVELS, costs, strict=True):
        found, _ = network.read(cost.float(), distances)
        total = total + weight * ((found - depth).abs() / depth).mean()
    return total


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    images, depth = drawn(options.out, options.pictures, options.threads)
    torch.manual_seed(0)
    network = DepthFromFocus().train()
    distances = torch.tensor(focal.FOCUS_DISTANCES)[None].expand(options.batch, -1)

    def step(number: int) -> Tensor:
        rng = np.random.default_rng([dataset.SEEDS["train"], number])
        chosen = rng.integers(len(images), size=options.batch)
        stack, truth = images[chosen], depth[chosen]
        if rng.random() < 0.5:
            stack, truth = stack[..., ::-1, :], truth[..., ::-1]
        if rng.random() < 0.5:
            stack, truth = stack[..., ::-1, :, :], truth[..., ::-1, :]
        stack = stack[..., rng.permutation(3)]
        return loss(network, torch.from_numpy(inputs(stack)), torch.from_numpy(truth.copy()), distances)

    return training.fit(network, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--pictures", type=int, default=1500, help="focal stacks to draw")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
