"""Draws scenes and trains the narrow Mask2Former on them for a given time.

python -m models.mask2former.train --minutes 60 --out build/mask2former
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from models import training
from models.imagenet import inputs
from models.mask2former.network import network
from models.scenes import cache, dataset
from models.scenes.names import SHAPES, STUFF
from models.swin import SIDE

# isort: split
import torch
from torch import Tensor


def targets(pictures: cache.Cache, number: int, flipped: bool) -> tuple[Tensor, Tensor]:
    """Masks [n, h, w] of 0 and 1 and classes [n]: every thing on its own, then each stuff that shows."""
    instances, stuff = pictures.instances[number], pictures.stuff[number]
    count = int((pictures.shapes[number] >= 0).sum())
    masks = [instances == one + 1 for one in range(count)]
    classes = pictures.shapes[number, :count].astype(np.int64).tolist()
    for index in range(len(STUFF)):
        shown = (stuff == index) & (instances == 0)
        if shown.any():
            masks.append(shown)
            classes.append(len(SHAPES) + index)
    stacked = np.stack(masks)[:, :, :: -1 if flipped else 1].astype(np.float32)
    return torch.from_numpy(stacked), torch.tensor(classes)


def batch(pictures: cache.Cache, number: int, size: int) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """Pictures [size, 3, h, w], half of them mirrored, with the masks and the classes of each."""
    rng = np.random.default_rng([dataset.SEEDS["train"], number])
    chosen, flipped = rng.integers(len(pictures), size=size), rng.random(size) < 0.5
    pairs = list(zip(chosen.tolist(), flipped.tolist(), strict=True))
    images = np.stack([pictures.images[n][:, :: -1 if flip else 1] for n, flip in pairs])
    masks, classes = zip(*(targets(pictures, n, flip) for n, flip in pairs), strict=True)
    return torch.from_numpy(inputs(images)), list(masks), list(classes)


def train(options: argparse.Namespace) -> Path:
    """Train, and return the checkpoint."""
    pictures = cache.drawn(options.drawings or options.out, options.pictures, options.threads, SIDE)
    torch.manual_seed(0)
    model: Any = network().train()

    def step(number: int) -> Tensor:
        images, masks, classes = batch(pictures, number, options.batch)
        loss: Tensor = model(pixel_values=images, mask_labels=masks, class_labels=classes).loss.sum()
        return loss

    return training.fit(model, step, options)


def main() -> None:
    """Read the command line and train."""
    parser = training.arguments(__doc__)
    parser.add_argument("--pictures", type=int, default=6000)
    parser.add_argument("--drawings", type=Path, help="folder of the drawings, where several trainings share them")
    print(train(parser.parse_args()))


if __name__ == "__main__":
    main()
