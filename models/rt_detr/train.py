"""Draw scenes and train the narrow RT-DETR on them for a given time.

python -m models.rt_detr.train --minutes 60 --out build/rt-detr
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from models import training
from models.rt_detr.network import SIDE, network
from models.scenes import cache, dataset


def targets(pictures: cache.Cache, number: int, flipped: bool) -> dict[str, Tensor]:
    """Return classes [n] and boxes [n, 4], as centre and size relative to the picture."""
    count = int((pictures.shapes[number] >= 0).sum())
    boxes = pictures.boxes[number, :count] / SIDE
    if flipped:
        boxes = np.stack([1 - boxes[:, 2], boxes[:, 1], 1 - boxes[:, 0], boxes[:, 3]], 1)
    middles = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
    classes = torch.from_numpy(pictures.shapes[number, :count].astype(np.int64))
    return {"class_labels": classes, "boxes": torch.from_numpy(middles.astype(np.float32))}


def batch(pictures: cache.Cache, number: int, size: int) -> tuple[Tensor, list[dict[str, Tensor]]]:
    """Return pictures [size, 3, h, w] of 0 to 1, half of them mirrored, and their targets."""
    rng = np.random.default_rng([dataset.SEEDS["train"], number])
    chosen, flipped = rng.integers(len(pictures), size=size), rng.random(size) < 0.5
    images = np.stack([pictures.images[n][:, :: -1 if flip else 1] for n, flip in zip(chosen, flipped, strict=True)])
    pixels = torch.from_numpy(images.transpose(0, 3, 1, 2).astype(np.float32) / 255)
    return pixels, [targets(pictures, int(n), bool(flip)) for n, flip in zip(chosen, flipped, strict=True)]


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    pictures = cache.drawn(options.drawings or options.out, options.pictures, options.threads)
    torch.manual_seed(0)
    model: Any = network(options.version, training=True).train()

    def step(number: int) -> Tensor:
        images, labels = batch(pictures, number, options.batch)
        loss: Tensor = model(pixel_values=images, labels=labels).loss
        return loss

    return training.fit(model, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--version", type=int, choices=[1, 2], default=1)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--drawings", type=Path, help="folder of the drawings, if several trainings share them")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
