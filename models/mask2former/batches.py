"""The pictures of a training step, and Mask2Former's targets."""

from __future__ import annotations

import numpy as np

from models.imagenet import inputs
from models.scenes import cache, dataset
from models.scenes.names import SHAPES, STUFF

# isort: split
import torch
from torch import Tensor


def choice(pictures: cache.Cache, number: int, size: int) -> tuple[list[int], list[bool]]:
    """Return the indices of the pictures of a step, and which of them are mirrored."""
    rng = np.random.default_rng([dataset.SEEDS["train"], number])
    return rng.integers(len(pictures), size=size).tolist(), (rng.random(size) < 0.5).tolist()


def images(pictures: cache.Cache, chosen: list[int], flips: list[bool]) -> Tensor:
    """Return these pictures [n, 3, h, w], as the network's input."""
    pairs = zip(chosen, flips, strict=True)
    return torch.from_numpy(inputs(np.stack([pictures.images[n][:, :: -1 if flip else 1] for n, flip in pairs])))


def targets(pictures: cache.Cache, number: int, flipped: bool) -> tuple[Tensor, Tensor]:
    """Return masks [n, h, w] of 0 and 1 and classes [n]: every thing separately, then each visible stuff class."""
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
    chosen, flips = choice(pictures, number, size)
    found = [targets(pictures, n, flip) for n, flip in zip(chosen, flips, strict=True)]
    return images(pictures, chosen, flips), [masks for masks, _ in found], [classes for _, classes in found]
